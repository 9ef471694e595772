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

/** Fences writes at `from`, waits until `to` has all of them, and makes it a primary. */
export async function promote(from: TestEngine, to: TestEngine): Promise<void> {
  await from.call("CLIENT", "PAUSE", FENCE_MS, "WRITE");
  await untilReplicated(from, to);
  await to.call("REPLICAOF", "NO", "ONE");
}

/** Tells the old primary to follow the new one, and lifts the fence; one of an older version may be unable to. */
export async function attach(from: TestEngine, to: TestEngine): Promise<void> {
  await from.call("REPLICAOF", to.host, to.port);
  await from.call("CLIENT", "UNPAUSE");
}

/** The same; resolves when it follows. */
export async function demote(from: TestEngine, to: TestEngine): Promise<void> {
  await attach(from, to);
  await until(`${from.name} replicates`, async () => (await from.replication()).link?.status === "up");
  await until(`${to.name} streams`, async () =>
    (await to.replication()).replicas.some(({ state }) => state === "online"),
  );
}
