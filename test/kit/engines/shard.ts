import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ShardPorts, SwitchoverStep } from "../../../src/programs/agent/switchover/ports.ts";
import type { DatabaseRecord, InstanceRecord, ShardRecord, StoreVersion } from "../../../src/core/api/records.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { silentLog } from "#kit/base/log";
import type { Address, EndpointConfig } from "../../../src/ports/management/proxy-control.ts";
import { callEngine } from "../../../src/ports/resp/engine-client.ts";
import { startEngine } from "./engine.ts";
import type { TestEngine } from "./engine.ts";
import type { Ledger } from "../load/load-ledger.ts";
import { startLedger } from "../load/load-ledger.ts";
import { addressOf, done, endpointFor, startProxy } from "./proxy.ts";
import type { TestProxy } from "./proxy.ts";
import { startWorkers } from "./workers.ts";
import { RawClient } from "./raw-client.ts";
import { startAll } from "./start-all.ts";
import { until } from "#kit/testing/until";
import { settingsWith } from "../facts/settings.ts";

/** A shard of real engines behind real proxies, with its record, without an agent around them. */
export interface TestShard extends AsyncDisposable {
  readonly engines: readonly TestEngine[];
  readonly proxies: readonly TestProxy[];
  record(): DatabaseRecord;
  shard(): ShardRecord;
  /** The engine of an instance id. */
  engine(id: number): TestEngine;
  /** Ports as an agent would make them; `before` stands where a test interferes. */
  ports(before?: (step: SwitchoverStep) => Promise<void>): ShardPorts;
  /** Clients at every proxy that write and read without pause. */
  startLoad(): Promise<ShardLoad>;
  /** Exactly one engine is primary, all others follow it, and what clients write goes there. */
  requireOnePrimary(): Promise<void>;
  /** A client at each proxy. */
  clients(): Promise<readonly RawClient[]>;
  /** A request of a client at the first proxy. */
  request(...args: readonly string[]): Promise<unknown>;
}

export interface ShardLoad {
  /** Resolves when clients have got more answers: they are neither held nor refused. */
  more(): Promise<void>;
  /** Ends the load; no request has failed, and every acknowledged write is there. */
  requireNothingLost(): Promise<void>;
}

const CONNECTIONS = 10;

/** The first engine is the primary; the instance ids are 1, 2, … Each of the two proxies has so many workers. */
export async function startShard(names: readonly string[], { workers = 1 } = {}): Promise<TestShard> {
  const start = (): Promise<TestProxy> => (workers === 1 ? startProxy() : startWorkers(workers));
  const [one, two, ...engines] = await startAll(start(), start(), ...names.map((engine) => startEngine({ engine })));
  const proxies = [one, two];
  const [first] = engines;
  assert.ok(first !== undefined);
  const endpoints = proxies.map(() => endpointFor(first, { holdMs: 20_000 }));
  let record = recordOf(engines.map(({ port }, i) => instance(i + 1, port)));
  const loads: Ledger[] = [];
  const engine = (id: number): TestEngine => {
    const found = engines[id - 1];
    assert.ok(found !== undefined);
    return found;
  };
  const shard = (): ShardRecord => onlyShard(record);
  const made: TestShard = {
    engines,
    proxies,
    record: () => record,
    shard,
    engine,
    ports: (before) => ({
      proxies: proxies.map(({ send }, i) => ({ node: i + 1, send, isDead: () => false, isFenced: async () => false })),
      addressOf: ({ id }) => addressOf(engine(id)),
      change: async (change) => {
        await sleep(0);
        record = change(record);
        return record;
      },
      syncOf: () => undefined,
      log: silentLog,
      clock: systemClock,
      ...(before === undefined ? {} : { before }),
    }),
    startLoad: async () => {
      const started = await Promise.all(
        endpoints.map(({ listen }) => startLedger({ ...listen, connections: CONNECTIONS })),
      );
      loads.push(...started);
      return loadOf(started);
    },
    requireOnePrimary: () => onePrimary(engines, engine(shard().primary), endpoints),
    clients: () => Promise.all(endpoints.map(({ listen }) => RawClient.connect(listen))),
    request: (...args) => callEngine({ ...listenerOf(endpoints[0]), timeoutMs: 5_000 }, ...args),
    [Symbol.asyncDispose]: async () => {
      for (const one of [...loads, ...engines, ...proxies]) await one[Symbol.asyncDispose]();
    },
  };
  try {
    for (const other of engines.slice(1)) await other.follow(first);
    for (const [i, { send }] of proxies.entries())
      await done(send({ op: "configure", endpoints: endpoints.slice(i, i + 1) }));
  } catch (error) {
    await made[Symbol.asyncDispose]();
    throw error;
  }
  return made;
}

function loadOf(ledgers: readonly Ledger[]): ShardLoad {
  return {
    more: async () => {
      const goals = ledgers.map((ledger) => ledger.requests() + 20 * CONNECTIONS);
      await until("clients at every proxy get answers", () =>
        ledgers.every((ledger, i) => ledger.requests() >= (goals[i] ?? 0)),
      );
    },
    requireNothingLost: async () => {
      for (const report of await Promise.all(ledgers.map((ledger) => ledger.stop())))
        assert.deepEqual([report.failed, report.lost, report.complaints], [0, 0, []]);
    },
  };
}

function onlyShard({ shards }: DatabaseRecord): ShardRecord {
  const [shard] = shards;
  assert.ok(shard !== undefined);
  return shard;
}

async function onePrimary(
  engines: readonly TestEngine[],
  primary: TestEngine,
  endpoints: readonly EndpointConfig[],
): Promise<void> {
  assert.equal((await primary.replication()).role, "primary");
  for (const other of engines.filter((one) => one !== primary))
    await until(`${other.name} follows ${primary.name}`, async () => {
      const { link } = await other.replication();
      return link?.host === primary.host && link.status === "up";
    });
  for (const [i, endpoint] of endpoints.entries()) {
    const proof = `${performance.now()}`;
    await callEngine({ ...listenerOf(endpoint), timeoutMs: 5_000 }, "SET", `proof:${i}`, proof);
    assert.equal(await primary.call("GET", `proof:${i}`), proof);
  }
}

function listenerOf(endpoint: EndpointConfig | undefined): Address {
  assert.ok(endpoint !== undefined);
  return endpoint.listen;
}

function instance(id: number, port: number): InstanceRecord {
  const storeVersion: StoreVersion = id === 1 ? "7.2" : "7.4";
  return { id, node: id, port, storeVersion, launch: id === 1 ? 1 : 0 };
}

function recordOf(instances: readonly InstanceRecord[]): DatabaseRecord {
  return {
    uid: 1,
    name: "db",
    ...settingsWith({ replication: true, evictionPolicy: "noeviction" }),
    port: 12_000,
    storeVersion: "7.2",
    status: "active",
    shards: [{ id: 1, epoch: 1, primary: 1, instances }],
    nextInstance: instances.length + 1,
    lossReports: [],
    createdTime: "2026-01-01T00:00:00Z",
    lastChangedTime: "2026-01-01T00:00:00Z",
  };
}
