import assert from "node:assert/strict";
import { Fault } from "#kit/base/fault";
import { callEngine, connectEngine, type EngineOptions } from "../../../src/ports/resp/engine-client.ts";
import { parseInfo } from "../../../src/ports/resp/info.ts";
import { textOf } from "../../../src/ports/resp/reply.ts";
import type { BdbCreate, BdbRecord } from "../../../src/ports/management/records.ts";
import { clientTls } from "../tls/secured-endpoint.ts";
import { until } from "#kit/testing/until";
import type { TestCluster } from "./cluster.ts";
import { enginesOf } from "./engine-access.ts";
import { nodeOf, primaryOf } from "./shards.ts";

/** How many keys a filled database has. */
export const KEYS = 200;

const PATIENCE = { withinMs: 30_000, everyMs: 10 };

/** A database with `KEYS` keys, which every copy has; it is deleted at the end. */
export interface FilledDatabase extends AsyncDisposable {
  readonly uid: number;
  /** Undefined while no node answers, and where there is no such database. */
  seen(): Promise<BdbRecord | undefined>;
  /** Waits until a primary serves it, nothing changes, and the proxy beside the primary, which may have started just now, accepts clients. */
  active(): Promise<BdbRecord>;
  /** The number of its keys, as its primary has them. */
  keys(): Promise<unknown>;
  /** One command for its primary, through the endpoint of its node. */
  call(...args: readonly string[]): Promise<unknown>;
  /** Waits until every copy is in sync, and has its data on its disk where the database is persistent. */
  copied(): Promise<void>;
}

/** Makes a database and fills it. */
export async function filledDatabase(
  cluster: TestCluster,
  body: Omit<BdbCreate, "memory_size"> & Partial<Pick<BdbCreate, "memory_size">>,
): Promise<FilledDatabase> {
  const { uid } = await cluster.create({ memory_size: 20_000_000, redis_version: "7.2", ...body });
  const seen = () => cluster.client.call("bdb", { params: { uid } }).catch(() => undefined);
  const tls = clientTls(body.name);
  const access = { password: body.authentication_redis_pass ?? "", timeoutMs: 5_000 };
  const endpoint = async (): Promise<EngineOptions> => {
    const { port, tls_mode } = await cluster.client.call("bdb", { params: { uid } });
    const node = nodeOf(primaryOf(await cluster.shards(uid)));
    return { ...access, host: cluster.address(node), port, tls: tls_mode === "disabled" ? undefined : tls };
  };
  const database: FilledDatabase = {
    uid,
    seen,
    active: async () => {
      let found: BdbRecord | undefined;
      await until("it is active", async () => serves((found = await seen())), PATIENCE);
      assert.ok(found !== undefined);
      await until("it accepts clients", async () => acceptsClients(await endpoint()), PATIENCE);
      return found;
    },
    keys: async () => callEngine(await endpoint(), "DBSIZE"),
    call: async (...args) => callEngine(await endpoint(), ...args),
    copied: async () => {
      await until("in sync", async () => (await cluster.shards(uid)).every(({ in_sync }) => in_sync), PATIENCE);
      const engines = await enginesOf(cluster, uid);
      const are = async (): Promise<boolean> => (await Promise.all(engines.map(isOnDisk))).every(Boolean);
      await until("on disk", are, PATIENCE);
    },
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

/** Only a refused connection says that it does not: whatever else fails is an error. */
export async function acceptsClients(endpoint: EngineOptions): Promise<boolean> {
  try {
    (await connectEngine(endpoint)).close();
    return true;
  } catch (error) {
    if (error instanceof Fault && error.details["refused"] === true) return false;
    throw error;
  }
}

/** A replica that was just attached has all that it received in memory alone, until it has rewritten its AOF. */
async function isOnDisk(engine: EngineOptions): Promise<boolean> {
  const info = parseInfo(textOf(await callEngine(engine, "INFO", "persistence")));
  return info.get("aof_rewrite_in_progress") === "0" && info.get("aof_rewrite_scheduled") === "0";
}

function serves(found: BdbRecord | undefined): boolean {
  return found?.status === "active" && found.version !== "";
}
