import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ShardPorts, SwitchoverStep } from "../../src/agent/switchover-ports.ts";
import type { DatabaseRecord, InstanceRecord, ShardRecord, StoreVersion } from "../../src/api/records.ts";
import { silentLog } from "../../src/base/log.ts";
import { startEngine } from "./engine.ts";
import type { TestEngine } from "./engine.ts";
import { GateProxy } from "./gate-proxy.ts";
import { Ledger } from "./ledger.ts";
import { until } from "./until.ts";

/** A shard of real engines, its record and two proxies, without an agent around them. */
export interface TestShard {
  readonly engines: readonly TestEngine[];
  readonly proxies: readonly GateProxy[];
  readonly ledger: Ledger;
  record(): DatabaseRecord;
  shard(): ShardRecord;
  /** Ports as an agent would make them; `before` stands where a test interferes. */
  ports(before?: (step: SwitchoverStep) => Promise<void>): ShardPorts;
  /** Exactly one engine is primary, the record and every proxy name it, and all others follow it. */
  requireOnePrimary(): Promise<void>;
  /** The engine of an instance id. */
  engine(id: number): TestEngine;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The first engine is the primary; the instance ids are 1, 2, … */
export async function startShard(names: readonly string[]): Promise<TestShard> {
  const engines = await Promise.all(names.map((engine) => startEngine({ engine })));
  const [first, ...others] = engines;
  assert.ok(first !== undefined);
  for (const engine of others) await engine.follow(first);
  const instances = engines.map(({ port }, i) => instance(i + 1, port));
  let record = recordOf(instances);
  const engine = (id: number): TestEngine => {
    const found = engines[id - 1];
    assert.ok(found !== undefined);
    return found;
  };
  const proxies = [1, 2].map((node) => new GateProxy(node, { host: first.host, port: first.port }, 1));
  const ledger = new Ledger(proxies);
  const shard = (): ShardRecord => {
    const [only] = record.shards;
    assert.ok(only !== undefined);
    return only;
  };
  return {
    engines,
    proxies,
    ledger,
    record: () => record,
    shard,
    engine,
    ports: (before) => ({
      proxies,
      addressOf: ({ id }) => ({ host: engine(id).host, port: engine(id).port }),
      change: async (change) => {
        await sleep(0);
        record = change(record);
        return record;
      },
      log: silentLog,
      ...(before === undefined ? {} : { before }),
    }),
    requireOnePrimary: () => onePrimary(engines, engine(shard().primary), proxies),
    [Symbol.asyncDispose]: async () => {
      await ledger.stop();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await Promise.all(engines.map((one) => one.stop()));
    },
  };
}

async function onePrimary(
  engines: readonly TestEngine[],
  primary: TestEngine,
  proxies: readonly GateProxy[],
): Promise<void> {
  assert.equal((await primary.replication()).role, "primary");
  for (const other of engines.filter((one) => one !== primary))
    await until(`${other.name} follows ${primary.name}`, async () => {
      const { link } = await other.replication();
      return link?.host === primary.host && link.status === "up";
    });
  for (const proxy of proxies)
    assert.deepEqual([proxy.target, proxy.held], [{ host: primary.host, port: primary.port }, false]);
}

function instance(id: number, port: number): InstanceRecord {
  const storeVersion: StoreVersion = id === 1 ? "7.2" : "7.4";
  return { id, node: id, port, storeVersion, launch: id === 1 ? 1 : 0 };
}

function recordOf(instances: readonly InstanceRecord[]): DatabaseRecord {
  return {
    uid: 1,
    name: "db",
    memoryBytes: 100_000_000,
    port: 12_000,
    replication: true,
    persistence: "disabled",
    evictionPolicy: "noeviction",
    storeVersion: "7.2",
    status: "active",
    shards: [{ id: 1, epoch: 1, primary: 1, instances }],
    nextInstance: instances.length + 1,
    lossReports: [],
    createdTime: "2026-01-01T00:00:00Z",
    lastChangedTime: "2026-01-01T00:00:00Z",
  };
}
