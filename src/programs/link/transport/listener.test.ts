import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { loopbackAddress } from "../../../../test/kit/engines/engine.ts";
import { survivesFlood } from "../../../../test/kit/network/flood.ts";
import { until } from "#kit/testing/until";
import { authorityNamed } from "../../../../test/kit/tls/certificates.ts";
import { jsonLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { issue } from "#kit/pki/authority";
import { encodeFrame } from "./frames.ts";
import { LinkListener, type Visitor } from "./listener.ts";
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

test("who greets well and shows no certificate stays a stranger, and is cut when it keeps its end open", async () => {
  using scene = await listening();
  const greeting = encodeMessage("greeting", GREETING);
  const visit = async (): Promise<TLSSocket> => {
    const options = { ...scene.at, localAddress: "127.0.0.9", allowHalfOpen: true };
    const socket = connect({ ...options, ca: authority.certificate, servername: "here.example" });
    socket.on("error", () => undefined); // it is cut
    await new Promise((resolve) => socket.once("secureConnect", resolve).once("close", resolve));
    if (!socket.destroyed) socket.write(greeting);
    return socket.pause();
  };
  const sockets = await Promise.all(Array.from({ length: 100 }, visit));
  await until("those above the cap of their address are cut", () => scene.open("127.0.0.9") <= 64);
  await until("all are cut, although none has closed its end", () => scene.open("127.0.0.9") === 0);
  for (const socket of sockets) socket.destroy();
  const ask = scene.ask(greeting, { ...withPair("there.example"), localAddress: "127.0.0.9" });
  assert.equal(await ask, "");
});

test("the first frame of a stranger is short, whatever kind it says it has", async () => {
  using scene = await listening();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(70_000, 0);
  head.writeUInt8(3, 4);
  assert.match(await scene.ask(head, {}), /not that of a link/);
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
  const trusted = { authorities: authority.certificate, serverName: "there.example" };
  const check = ({ connection }: Visitor): void => {
    checkPeer(connection.socket, trusted, systemClock.now().getTime());
  };
  const listener = new LinkListener(
    {
      check,
      visit: (visitor) => {
        visitors.push(visitor);
        visitor.connection.socket.end();
        return Promise.resolve();
      },
    },
    { clock: systemClock, log },
  );
  const at = { host: loopbackAddress(), port: 9444 };
  await listener.listen(at, { ...own, authorities: authority.certificate, serverName: "here.example" });
  return {
    at,
    visitors,
    lines,
    open: (from: string) => listener.connections(from),
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
