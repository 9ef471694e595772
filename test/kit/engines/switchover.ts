import { ENDPOINT_CONNECTION } from "../../../src/ports/resp/connection-names.ts";
import { textOf } from "../../../src/ports/resp/reply.ts";
import type { TestEngine } from "./engine.ts";
import { addressOf, done } from "./proxy.ts";
import type { TestProxy } from "./proxy.ts";
import { until } from "#kit/testing/until";

/** Moves database 1, or its shard of that id, from one engine to the other behind its proxies, in the order that the product uses. */
export async function switchOver(
  proxies: readonly TestProxy[],
  epoch: number,
  from: TestEngine,
  to: TestEngine,
  shard?: number,
): Promise<{ readonly heldMs: number }> {
  const target = addressOf(to);
  const moved = { bdb: 1, epoch, ...(shard === undefined ? {} : { shard }) };
  await Promise.all(proxies.map((proxy) => done(proxy.send({ op: "prepare", ...moved, target }))));
  await Promise.all(
    proxies.map((proxy) => done(proxy.send({ op: "hold", ...moved, drainMs: 10_000, holdMs: 60_000 }))),
  );
  await promote(from, to);
  const released = await Promise.all(proxies.map((proxy) => done(proxy.send({ op: "release", ...moved, target }))));
  await demote(from, to);
  return { heldMs: Math.max(...released.map((reply) => ("heldMs" in reply ? reply.heldMs : 0))) };
}

/** Resolves when `to` has applied all that `from` has executed. */
export async function untilReplicated(from: TestEngine, to: TestEngine): Promise<void> {
  const { offset } = await from.replication();
  await until(`${to.name} has every write`, async () => (await to.replication()).offset >= offset, { everyMs: 0 });
}

/** As long as in the product: a busy machine must not lift it before the old primary follows the new one. */
const FENCE_MS = 30_000;

/** Fences `from`, waits until `to` has all that it has written, and makes it a primary. */
export async function promote(from: TestEngine, to: TestEngine): Promise<void> {
  await from.call("CLIENT", "PAUSE", FENCE_MS, "WRITE");
  await untilReplicated(from, to);
  await fence(from);
  await untilReplicated(from, to);
  await to.call("REPLICAOF", "NO", "ONE");
}

/** The same as a leader of a release before 0.6.0 does it: `from` takes no writes, and is a primary until it is demoted. */
export async function promoteBeside(from: TestEngine, to: TestEngine): Promise<void> {
  await from.call("CLIENT", "PAUSE", FENCE_MS, "WRITE");
  await untilReplicated(from, to);
  await to.call("REPLICAOF", "NO", "ONE");
}

/** Tells the old primary to follow the new one, and lifts the fence; one of an older version may be unable to. */
export async function attach(from: TestEngine, to: TestEngine): Promise<void> {
  await fence(from);
  await endServing(from);
  await from.call("REPLICAOF", to.host, to.port);
  await from.call("CONFIG", "SET", "replica-serve-stale-data", "yes");
  await from.call("CLIENT", "UNPAUSE");
}

/** The same; resolves when it follows. */
export async function demote(from: TestEngine, to: TestEngine): Promise<void> {
  await attach(from, to);
  await untilFollowed(from, to);
}

/** The same as a leader of a release before 0.6.0 does it: connections of endpoints stay, and lead to a replica. */
export async function demoteBeside(from: TestEngine, to: TestEngine): Promise<void> {
  await from.call("REPLICAOF", to.host, to.port);
  await from.call("CLIENT", "UNPAUSE");
  await untilFollowed(from, to);
}

async function untilFollowed(from: TestEngine, to: TestEngine): Promise<void> {
  await until(`${from.name} replicates`, async () => (await from.replication()).link?.status === "up");
  await until(`${to.name} streams`, async () =>
    (await to.replication()).replicas.some(({ state }) => state === "online"),
  );
}

/** From now on the engine answers neither reads nor writes. */
async function fence(engine: TestEngine): Promise<void> {
  await engine.call("CONFIG", "SET", "replica-serve-stale-data", "no");
  await engine.call("REPLICAOF", "127.0.0.1", 1);
}

/** Ends the connections that endpoints have at an engine for requests of clients. */
async function endServing(engine: TestEngine): Promise<void> {
  const listed = textOf(await engine.call("CLIENT", "LIST")).split("\n");
  for (const line of listed.filter((each) => each.includes(` name=${ENDPOINT_CONNECTION} `)))
    await engine.call("CLIENT", "KILL", "ID", /^id=(\d+)/.exec(line)?.[1] ?? "");
}
