import assert from "node:assert/strict";
import { callEngine, connectEngine, type EngineOptions } from "../../../src/ports/resp/engine-client.ts";
import type { BdbCreate, BdbRecord } from "../../../src/ports/management/records.ts";
import { until } from "../time/until.ts";
import type { TestCluster } from "./cluster.ts";
import { nodeOf, primaryOf } from "./shards.ts";

/** How many keys a filled database has. */
export const KEYS = 200;

const PATIENCE = { withinMs: 30_000, everyMs: 10 };

/** A database with `KEYS` keys, which every copy has; it is deleted at the end. */
export interface FilledDatabase extends AsyncDisposable {
  readonly uid: number;
  /** Undefined while no node answers, and where there is no such database. */
  seen(): Promise<BdbRecord | undefined>;
  /** Waits until a primary serves it and nothing changes. */
  active(): Promise<BdbRecord>;
  /** The number of its keys, as its primary has them. */
  keys(): Promise<unknown>;
  /** One command for its primary, through the endpoint of its node. */
  call(...args: readonly string[]): Promise<unknown>;
  /** Waits until every copy is in sync. */
  copied(): Promise<void>;
}

/** Makes a database and fills it. */
export async function filledDatabase(
  cluster: TestCluster,
  body: Omit<BdbCreate, "memory_size">,
): Promise<FilledDatabase> {
  const { uid } = await cluster.create({ memory_size: 20_000_000, redis_version: "7.2", ...body });
  const seen = () => cluster.client.call("bdb", { params: { uid } }).catch(() => undefined);
  const endpoint = async (): Promise<EngineOptions> => {
    const { port } = await cluster.client.call("bdb", { params: { uid } });
    const node = nodeOf(primaryOf(await cluster.shards(uid)));
    return { host: cluster.address(node), port, password: body.authentication_redis_pass ?? "", timeoutMs: 5_000 };
  };
  const database: FilledDatabase = {
    uid,
    seen,
    active: async () => {
      let found: BdbRecord | undefined;
      await until("it is active", async () => serves((found = await seen())), PATIENCE);
      assert.ok(found !== undefined);
      return found;
    },
    keys: async () => callEngine(await endpoint(), "DBSIZE"),
    call: async (...args) => callEngine(await endpoint(), ...args),
    copied: () => until("copied", async () => (await cluster.shards(uid)).every(({ in_sync }) => in_sync), PATIENCE),
    [Symbol.asyncDispose]: async () => {
      if ((await seen()) === undefined) return;
      await cluster.client.call("deleteBdb", { params: { uid } });
      await until("it is gone", async () => (await seen()) === undefined, PATIENCE);
    },
  };
  const client = await connectEngine(await endpoint());
  await Promise.all(Array.from({ length: KEYS }, (_, key) => client.call("SET", `key ${key}`, "value")));
  client.close();
  await database.copied();
  return database;
}

function serves(found: BdbRecord | undefined): boolean {
  return found?.status === "active" && found.version !== "";
}
