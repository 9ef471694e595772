import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import { startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import type { MoverReply } from "../../../ports/management/mover-control.ts";
import { NodeMovers, type WantedMover } from "./movers.ts";
import { STORE } from "../../../../test/kit/programs.ts";

const ENV = { PATH: process.env["PATH"] ?? "" };
const STATUS = { op: "status" } as const;

test("an attempt has one mover: what ended is not begun again, and the next attempt fills the same engine anew", async () => {
  await using source = await startEngine();
  await using target = await startEngine();
  await source.call("SET", "key", "value");
  const port = await freePort();
  await using scene = movers();
  const wanted = (attempt: number): WantedMover => ({ bdb: 1, attempt, begin: beginning(source, port) });
  const codeOf = async (attempt: number): Promise<string> => codeIn(await scene.ask(attempt));
  assert.equal(await codeOf(1), "AGENT_MOVER_AWAITED");
  await scene.apply([wanted(1)]);
  await target.call("REPLICAOF", "127.0.0.1", port);
  await until("it follows", async () => isFollowing(await scene.ask(1)));
  killMover();
  await until("it has ended", async () => (await codeOf(1)) === "AGENT_MOVER_GONE");
  await scene.apply([wanted(1)]);
  assert.equal(await codeOf(1), "AGENT_MOVER_GONE");
  assert.equal(await codeOf(2), "AGENT_MOVER_AWAITED");
  await source.call("SET", "later", "value");
  await scene.apply([wanted(2)]);
  assert.equal(await codeOf(1), "AGENT_MOVER_GONE");
  await until("the next one follows", async () => isFollowing(await scene.ask(2)));
  assert.deepEqual(await target.call("MGET", "key", "later"), ["value", "value"]);
  await scene.apply([{ ...wanted(2), begin: "no more" }]);
  assert.ok(isFollowing(await scene.ask(2)), "one that has begun goes on");
  await scene.apply([]);
  assert.equal(await codeOf(2), "AGENT_MOVER_AWAITED");
});

test("after the start of an agent no mover begins for engines that may have all", async () => {
  await using scene = movers();
  await scene.apply([{ bdb: 1, attempt: 1, begin: "no more" }]);
  assert.equal(codeIn(await scene.ask(1)), "AGENT_MOVER_GONE");
});

test("a mover that cannot begin yet is awaited, and one whose port is taken says so", async () => {
  await using source = await startEngine();
  await using scene = movers();
  await scene.apply([{ bdb: 1, attempt: 1, begin: "later" }]);
  assert.equal(codeIn(await scene.ask(1)), "AGENT_MOVER_AWAITED");
  await scene.apply([{ bdb: 1, attempt: 1, begin: beginning(source, source.port, source.host) }]);
  assert.equal(codeIn(await scene.ask(1)), "MOVER_CANNOT_LISTEN");
});

function beginning(source: TestEngine, port: number, host = "127.0.0.1"): Exclude<WantedMover["begin"], string> {
  const slots = [{ from: 0, to: 16_383 }];
  return {
    op: "begin",
    bdb: 1,
    sources: [{ id: 1, primary: { host: source.host, port: source.port }, slots }],
    targets: [{ id: 2, listen: { host, port }, slots }],
    logins: [{ user: "default", password: "" }],
  };
}

function codeIn(reply: MoverReply): string {
  return reply.ok ? "" : reply.code;
}

function isFollowing(reply: MoverReply): boolean {
  return reply.ok && reply.op === "status" && reply.status.targets.every(({ state }) => state === "following");
}

/** Kills the only mover that this process has started. */
function killMover(): void {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  const found = children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${STORE}\0mover`));
  assert.equal(found.length, 1);
  process.kill(Number(found[0]), "SIGKILL");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The movers of a node with real processes. */
function movers() {
  const own = new NodeMovers({ args: [STORE, "mover"], env: ENV, clock: systemClock, log: silentLog });
  return {
    apply: (wanted: readonly WantedMover[]) => own.apply(wanted),
    ask: (attempt: number) => own.ask({ bdb: 1, attempt, question: STATUS }),
    [Symbol.asyncDispose]: () => own.stop(),
  };
}
