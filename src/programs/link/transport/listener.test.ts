import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { connect, type ConnectionOptions } from "node:tls";
import { loopbackAddress } from "../../../../test/kit/engines/engine.ts";
import { survivesFlood } from "../../../../test/kit/network/flood.ts";
import { authorityNamed } from "../../../../test/kit/tls/certificates.ts";
import { jsonLog } from "../../../core/base/log.ts";
import { systemClock } from "../../../mechanisms/reconcile/system-clock.ts";
import { issue } from "../../../ports/pki/authority.ts";
import { encodeFrame } from "./frames.ts";
import { Listener, type Visitor } from "./listener.ts";
import { encodeMessage } from "./messages.ts";
import { checkPeer } from "./trust.ts";

const authority = authorityNamed("own");
const own = pairOf("here.example");
const GREETING = { guid: "g", from: 2, to: 1, formats: [1], received: { 2: 7 }, origin: 2 };

test("what does not greet as a link does is sent away with the reason", async () => {
  using scene = await listening();
  const nonsense: readonly (readonly [Buffer, RegExp])[] = [
    [Buffer.from("PING\r\nPING\r\n"), /not that of a link/],
    [encodeFrame("greeting", Buffer.from("{")), /cannot be read/],
    [encodeMessage("greeting", { ...GREETING, received: { x: 1 } }), /cannot be read/],
    [encodeMessage("greeting", { ...GREETING, formats: [] }), /cannot be read/],
    [encodeMessage("statement", { received: {} }), /does not greet/],
    [Buffer.from([0x7f, 0xff, 0xff, 0xff, 0]), /not that of a link/],
  ];
  for (const [bytes, why] of nonsense) assert.match(await scene.ask(bytes, {}), why);
  assert.deepEqual(scene.visitors, []);
});

test("a visitor must show a certificate with the name of its site, which an authority of its site has signed", async () => {
  using scene = await listening();
  const other = authorityNamed("another");
  const pairs: readonly (readonly [ConnectionOptions, RegExp])[] = [
    [{}, /shows no certificate/],
    [withPair("there.example", other), /No authority of there.example has signed/],
    [withPair("elsewhere.example"), /not that of there.example/],
    [withPair("there.example"), /^$/],
  ];
  for (const [options, why] of pairs) assert.match(await scene.ask(encodeMessage("greeting", GREETING), options), why);
  assert.deepEqual(
    scene.visitors.map(({ greeting }) => greeting.from),
    [2],
  );
});

test("strangers that hold connections and say nothing take those of their address, for ten seconds, and do not fill the log", async () => {
  using scene = await listening();
  const greeting = encodeMessage("greeting", GREETING);
  const ask = async (localAddress: string): Promise<void> => {
    assert.equal(await scene.ask(greeting, { ...withPair("there.example"), localAddress }), "");
  };
  await survivesFlood({ ...scene.at, ofAddress: 64, silentMs: 10_000, ask });
  assert.equal(scene.visitors.length, 2);
  const said = scene.lines.filter((line) => line.includes("a link has failed to connect")).length;
  assert.ok(said > 0 && said < 30, `${said} lines: one each second at most`);
});

function pairOf(name: string, by = authority) {
  const about = { commonName: name, dnsNames: [name], ipAddresses: [], usages: ["server", "client"] as const };
  return issue(by, { ...about, now: new Date(), days: 1 });
}

function withPair(name: string, by = authority): ConnectionOptions {
  const { certificate: cert, key } = pairOf(name, by);
  return { cert, key };
}

/** Lets in what `there.example` has signed, and ends the connection then. */
async function listening() {
  const visitors: Visitor[] = [];
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => systemClock.now(),
  );
  const listener = new Listener(
    (visitor) => {
      checkPeer(
        visitor.connection.socket,
        { authorities: authority.certificate, serverName: "there.example" },
        systemClock.now().getTime(),
      );
      visitors.push(visitor);
      visitor.connection.socket.end();
      return Promise.resolve();
    },
    { clock: systemClock, log },
  );
  const at = { host: loopbackAddress(), port: 9444 };
  await listener.listen(at, { ...own, authorities: authority.certificate, serverName: "here.example" });
  return {
    ...{ at, visitors, lines },
    /** What is answered until the connection ends. */
    async ask(bytes: Buffer, options: ConnectionOptions & { readonly localAddress?: string }): Promise<string> {
      const socket = connect({ ...at, ...options, ca: authority.certificate, servername: "here.example" });
      await once(socket, "secureConnect");
      let said = "";
      socket.on("data", (chunk: Buffer) => (said += chunk.subarray(5).toString()));
      socket.on("error", () => undefined); // it is cut while it speaks
      socket.write(bytes);
      await once(socket, "close");
      return said;
    },
    [Symbol.dispose]: () => listener.close(),
  };
}
