import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { loopbackAddress } from "../../../../test/kit/engines/engine.ts";
import { authorityNamed } from "../../../../test/kit/tls/certificates.ts";
import { systemClock } from "../../../mechanisms/reconcile/system-clock.ts";
import type { LinkCertificate } from "../../../ports/management/link-control.ts";
import { issue } from "../../../ports/pki/authority.ts";
import { greetedBy } from "./greet.ts";
import { encodeMessage } from "./messages.ts";
import { relay } from "./relay.ts";
import { dialLink, linkServer } from "./trust.ts";

const authority = authorityNamed("own");
const own: LinkCertificate = certificateOf("here.example");
const GREETING = encodeMessage("greeting", { guid: "g", from: 2, to: 1, formats: [1], received: {}, origin: 2 });
const SENT = Buffer.alloc(8_000_000, "x");

test("what a link has sent before it ends arrives through a node that passes it on, however slowly it is read", async () => {
  await using scene = await relaying((socket) => void socket.once("data", () => socket.end(SENT)));
  const client = await scene.dial();
  client.write(GREETING);
  let received = 0;
  for await (const bytes of client) {
    received += (bytes as Buffer).length;
    await sleep(1);
  }
  assert.equal(received, SENT.length);
});

test("each end learns that the other one has gone", async () => {
  const arrived = Promise.withResolvers<TLSSocket>();
  await using scene = await relaying((socket) => void socket.once("data", () => arrived.resolve(socket)));
  const client = await scene.dial();
  client.write(GREETING);
  const further = await arrived.promise;
  const gone = once(further, "close");
  client.destroy();
  await gone;
});

/** A node without the primary, and one with it, which answers so. */
async function relaying(answer: (socket: TLSSocket) => void) {
  await using stack = new AsyncDisposableStack();
  const listen = async (accept: (socket: TLSSocket) => void) => {
    const server = linkServer(own, (socket) => {
      socket.on("error", () => undefined); // who reads sees that it has ended
      accept(socket);
    });
    const at = { host: loopbackAddress(), port: 9444 };
    await once(server.listen(at.port, at.host), "listening");
    stack.defer(() => void server.close());
    return at;
  };
  const ending = new AbortController();
  stack.defer(() => ending.abort());
  const to = await listen(answer);
  const passOn = async (socket: TLSSocket): Promise<void> =>
    relay(await greetedBy(socket, systemClock), to, own, ending.signal);
  // as with a link: what fails is at an end that has gone
  const at = await listen((socket) => void passOn(socket).catch(() => socket.destroy()));
  const owned = stack.move();
  return {
    dial: () => dialLink(at, own, own, ending.signal),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function certificateOf(name: string): LinkCertificate {
  const about = { commonName: name, dnsNames: [name], ipAddresses: [], usages: ["server", "client"] as const };
  const pair = issue(authority, { ...about, now: new Date(), days: 1 });
  return { ...pair, authorities: authority.certificate, serverName: name };
}
