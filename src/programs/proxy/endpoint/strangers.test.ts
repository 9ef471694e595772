import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { Redis } from "ioredis";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "#kit/testing/until";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { loginDelayMs } from "../client/login-delay.ts";
import { LIMITS } from "../limits/limits.ts";
import { REQUEST_LIMITS } from "../protocol/request-limits.ts";

const PASSWORD = "correct horse";
const SECURED = [{ password: PASSWORD }, { password: PASSWORD }] as const;
const STRANGERS = 500;

test("clients that do not log in are cut in time, whatever they send, and one that has logged in stays", async () => {
  await using served = await Served.start(...SECURED);
  const startedAt = performance.now();
  const [known, silent, curious, guessing] = await served.clients(4);
  assert.equal(await known?.ask("AUTH", PASSWORD), "OK");
  assert.match(String(await curious?.ask("PING")), /^-NOAUTH/);
  curious?.write("*2\r\n$4\r\nECHO\r\n$100\r\nunfinished");
  assert.match(String(await guessing?.ask("AUTH", "wrong")), /^-WRONGPASS/);
  const withinMs = LIMITS.loginMs + 10_000;
  await until("they are cut", () => [silent, curious, guessing].every((client) => client?.over === true), { withinMs });
  assert.ok(performance.now() - startedAt >= LIMITS.loginMs);
  assert.equal(await known?.ask("PING"), "PONG");
  assert.equal((await served.proxy.stats()).clients, 1);
});

test("a wrong password is answered after a delay, and of many guesses of an address few are looked at a second", async () => {
  await using served = await Served.start(...SECURED);
  const { listen } = served.endpoint;
  const client = await served.client();
  const startedAt = performance.now();
  for (let i = 0; i < 3; i++) assert.match(String(await client.ask("AUTH", "wrong")), /^-WRONGPASS/);
  assert.ok(performance.now() - startedAt >= loginDelayMs(1) + loginDelayMs(2) + loginDelayMs(3));
  const manyAt = performance.now();
  const guesses = Array.from({ length: 48 }, (_, i) => answerTo(listen, "127.0.0.1", `guess ${i}`));
  assert.equal(await answerTo(listen, "127.0.0.8", PASSWORD), "+OK\r\n", "another address does not wait");
  for (const guess of guesses) assert.match(await guess, /^-WRONGPASS/);
  assert.ok(performance.now() - manyAt >= 2 * loginDelayMs(5), "48 of them take two times as long as 16");
});

test("who shares an address with guessers logs in beside them, before their next tries", async () => {
  await using served = await Served.start(...SECURED);
  const { listen } = served.endpoint;
  let wrong = 0;
  let isOver = false;
  const guess = async (): Promise<void> => {
    while (!isOver) {
      const client = await served.client();
      while (!isOver && !client.over) if (String(await client.ask("AUTH", "wrong")).startsWith("-WRONGPASS")) wrong++;
      client.close();
    }
  };
  const guessers = Array.from({ length: 80 }, guess);
  await until("each has guessed", () => wrong > 80, { withinMs: 60_000 });
  for (let i = 0; i < 5; i++) {
    const before = wrong;
    const library = new Redis({ ...listen, password: PASSWORD });
    assert.equal(await library.ping(), "PONG");
    library.disconnect();
    assert.ok(wrong - before < 80, `${wrong - before} guesses of those who were wrong already came first`);
  }
  isOver = true;
  await Promise.all(guessers);
});

test("an engine's refusal of a user counts as well", async () => {
  await using served = await Served.start(...SECURED);
  const client = await served.client();
  const startedAt = performance.now();
  for (let i = 0; i < 4; i++) assert.match(String(await client.ask("AUTH", "ann", "wrong")), /^-WRONGPASS/);
  assert.ok(performance.now() - startedAt >= loginDelayMs(1) + loginDelayMs(2) + loginDelayMs(3));
});

test("strangers cannot have a proxy keep what they send", async (context) => {
  if (process.platform !== "linux") return context.skip("/proc is of Linux");
  await using served = await Served.start(...SECURED);
  const before = residentOf(served.proxy.pid);
  const sockets = await Promise.all(
    Array.from({ length: STRANGERS }, () => opened(served.endpoint.listen, "127.0.0.1")),
  );
  const large = Buffer.from(`*2\r\n$4\r\nAUTH\r\n$500000000\r\n${"x".repeat(2 * REQUEST_LIMITS.guestBytes)}`);
  for (const socket of sockets) socket.resume().write(large);
  await until("all are cut", () => sockets.every(({ destroyed }) => destroyed));
  const grownKiB = residentOf(served.proxy.pid) - before;
  assert.ok(grownKiB < 64 * 1024, `${grownKiB} KiB`);
});

async function opened(
  address: { readonly host: string; readonly port: number },
  localAddress: string,
): Promise<Socket> {
  const socket = connect({ ...address, localAddress }).on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** What a login from that address is answered. */
async function answerTo(address: { readonly host: string; readonly port: number }, from: string, password: string) {
  const socket = await opened(address, from);
  socket.write(encodeCommand(["AUTH", password]));
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer);
}

/** In kibibytes. */
function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
