import assert from "node:assert/strict";
import type { ConnectionOptions } from "node:tls";
import { clusterNames } from "../../src/core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets } from "#kit/kube/builtin";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { faults } from "../../src/ports/resp/faults.ts";
import { textOf } from "../../src/ports/resp/reply.ts";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { startCounting, type CountingLoad } from "../kit/tls/load.ts";
import { until } from "#kit/testing/until";
import { administrator, isBeforeTls, type Scene } from "./scene.ts";

const { namespace, database } = DEMO;
const METADATA = { name: database, namespace };
const ASKED = { tls: "enabled", durability: "sync" } as const;
const PATIENCE = { withinMs: 120_000, everyMs: 100 };

/** The replicated database: TLS, and replies that wait for its replica, are asked for in the middle of the roll. */
export interface MoreAsked extends AsyncDisposable {
  /** Clients in plain text count from now on. */
  load(scene: Scene): Promise<void>;
  /** Asks for both while one node is new and two are old. */
  ask(scene: Scene): Promise<void>;
  /** Every node is new: it has both, unasked; clients with TLS count from now on. */
  has(scene: Scene): Promise<void>;
  /** Ends the clients: every request succeeded, and every count is there. */
  finish(): Promise<void>;
}

export function moreAsked(): MoreAsked {
  const loads = new AsyncDisposableStack();
  let load: CountingLoad | undefined;
  const start = async (scene: Scene, tls?: ConnectionOptions): Promise<CountingLoad> => {
    const { host, port, password } = await findEndpoint(scene.play.stage, METADATA.name);
    const places = Array<{ host: string; port: number }>(8).fill({ host, port });
    const started = loads.use(startCounting(places, { password, gapMs: 20, ...(tls && { tls }) }));
    await started.goesOn();
    return started;
  };
  return {
    load: async (scene) => {
      load = await start(scene);
    },
    ask: async (scene) => {
      if (isBeforeTls(scene)) await refuseForOlderNodes(scene);
      await listClients(scene);
      await holdEdit(scene);
      await load?.goesOn();
    },
    has: async (scene) => {
      await settle(scene);
      await requireEngines(scene);
      const tls = await trusted(scene);
      assert.deepEqual(await load?.shutOut(tls), []);
      load = await start(scene, tls);
    },
    finish: async () => {
      await load?.goesOn();
      assert.deepEqual(await load?.finish(), []);
    },
    [Symbol.asyncDispose]: () => loads.disposeAsync(),
  };
}

/** Node 1 is old and node 3 is new; what is in the records of the older release is what it did. */
async function refuseForOlderNodes({ play: { world, older } }: Scene): Promise<void> {
  const [old, next] = [await administrator(world.kube, 1), await administrator(world.kube, 3)];
  const bdb = (await next.call("bdbs")).find(({ name }) => name === METADATA.name);
  assert.deepEqual([bdb?.tls_mode, bdb?.durability, bdb?.sync_state], ["disabled", "async", undefined]);
  const params = { uid: bdb?.uid ?? 0 };
  const nodes = `node 1 \\(${older.operator}\\), node 2 \\(${older.operator}\\)`;
  const noTls = new RegExp(`endpoints of an older release speak no TLS: ${nodes}`);
  const noWait = new RegExp(`no node of an older release lets replies wait for replicas: ${nodes}`);
  const made = { name: "made", memory_size: 20_000_000, replication: true };
  await assert.rejects(next.call("updateBdb", { params, body: { tls_mode: "enabled" } }), noTls);
  await assert.rejects(next.call("createBdb", { body: { ...made, tls_mode: "enabled" } }), noTls);
  await assert.rejects(next.call("updateBdb", { params, body: { durability: "sync" } }), noWait);
  await assert.rejects(next.call("createBdb", { body: { ...made, durability: "sync" } }), noWait);
  for (const field of [{ tls_mode: "enabled" }, { durability: "sync" }] as const)
    await assert.rejects(old.call("updateBdb", { params, body: field }), new RegExp(Object.keys(field).join()));
  await Promise.all([old.close(), next.close()]);
}

/** A new node asks no older one for its clients, and answers with those that it knows of. */
async function listClients({ play: { world, stage } }: Scene): Promise<void> {
  const client = await administrator(world.kube, 3);
  const host = (await client.call("nodes")).find(({ uid }) => uid === 3)?.addr ?? "";
  await client.close();
  const { port, password } = await findEndpoint(stage, METADATA.name);
  // it has just become active: its endpoints open a moment later
  let listed = "";
  const isListed = async (): Promise<boolean> => {
    try {
      listed = textOf(await callEngine({ host, port, password, timeoutMs: 30_000 }, "CLIENT", "LIST"));
      return true;
    } catch (error) {
      if (!isFault(error, faults.connect)) throw error;
      return false;
    }
  };
  await until("the new node accepts clients", isListed, PATIENCE);
  assert.match(listed, /^id=\d+ addr=/);
}

async function holdEdit({ play: { world, latest } }: Scene): Promise<void> {
  const { metadata } = await world.kube.patch(Databases, METADATA, { type: "merge", body: { spec: ASKED } });
  let said = "";
  const isHeld = async (): Promise<boolean> => {
    const { conditions = [] } = (await world.kube.get(Databases, METADATA))?.status ?? {};
    const held = conditions.find(({ type }) => type === "ReconcileSuspended");
    said = held?.message ?? "";
    return held?.status === "True" && held.observedGeneration === metadata.generation;
  };
  await until("the edit waits", isHeld, PATIENCE);
  assert.match(said, new RegExp(`edits wait in order until the cluster is upgraded: .*${latest.operator}.*kubectl `));
}

async function settle({ play: { world } }: Scene): Promise<void> {
  const client = await administrator(world.kube);
  let found = "";
  const isSettled = async (): Promise<boolean> => {
    const { metadata, status } = (await world.kube.get(Databases, METADATA)) ?? {};
    const bdb = (await client.call("bdbs")).find(({ name }) => name === METADATA.name);
    found = JSON.stringify({
      findings: status?.findings,
      ...bdb,
      tls_certificate: "",
    });
    const isSeen = status?.observedGeneration === metadata?.generation && status?.findings?.length === 0;
    return isSeen && bdb?.status === "active" && bdb.tls_mode === "enabled" && bdb.sync_state === "in-sync";
  };
  await until("it has TLS, and replies wait", isSettled, PATIENCE).catch((error: unknown) => {
    throw new Error(found, { cause: error });
  });
  await client.close();
}

/** Primary and replica speak TLS alone. */
async function requireEngines({ play: { world } }: Scene): Promise<void> {
  const client = await administrator(world.kube);
  const addresses = new Map((await client.call("nodes")).map(({ uid, addr }) => [String(uid), addr]));
  const uid = (await client.call("bdbs")).find(({ name }) => name === METADATA.name)?.uid ?? 0;
  const shards = await client.call("bdbShards", { params: { uid } });
  assert.deepEqual(
    shards.map(({ tls }) => tls),
    [true, true],
  );
  for (const { node_uid, port } of shards) {
    const engine = { host: addresses.get(node_uid) ?? "", port, timeoutMs: 2_000 };
    await assert.rejects(callEngine(engine, "PING"), (error) => isFault(error, faults.closed));
  }
  await client.close();
}

/** What clients of the endpoint trust, as its Secret says. */
async function trusted({ play: { world } }: Scene) {
  const secret = await world.kube.get(Secrets, { name: `redb-${METADATA.name}`, namespace });
  const ca = Buffer.from(secret?.data?.["ca.crt"] ?? "", "base64").toString();
  return { ca, servername: clusterNames.databaseHost(METADATA.name, namespace) };
}
