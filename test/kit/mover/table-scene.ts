import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../src/core/api/records.ts";
import { everyShard } from "../../../src/core/api/every-shard.ts";
import { primaryOf, replicasOf } from "../../../src/core/planner/database/facts.ts";
import { isSameTable } from "../../../src/core/slots/named-slots.ts";
import type { SizedShard } from "../../../src/core/slots/shard-slots.ts";
import { whyNoSuccessor } from "../../../src/core/records/slots-of-shards.ts";
import { listOf } from "../../../src/ports/resp/reply.ts";
import type { MoverReply } from "../../../src/ports/management/mover-control.ts";
import { endpointShard, placeAt } from "../../../src/programs/agent/members/endpoint-shard.ts";
import { NodeMovers } from "../../../src/programs/agent/node/movers.ts";
import { wantedMovers, type WantedMoversContext } from "../../../src/programs/agent/node/wanted-movers.ts";
import type { TablePorts, TableStep } from "../../../src/programs/agent/switchover/table-ports.ts";
import { loopbackAddress, startEngine, type TestEngine } from "../engines/engine.ts";
import { addressOf, done, endpointFor, startProxy, type TestProxy } from "../engines/proxy.ts";
import { RawClient } from "../engines/raw-client.ts";
import { startAll } from "../engines/start-all.ts";
import { settingsWith } from "../facts/settings.ts";
import { wantedShards } from "./wanted-shards.ts";
import { startLedger, type Ledger } from "../load/load-ledger.ts";
import { STORE } from "../programs.ts";

const MOVER_NODE = 1_000;
const CONNECTIONS = 6;

/** A database behind two real proxies whose number of shards changes: real engines, each on a node of its own, a real mover, no agent around them. */
export class TableScene implements AsyncDisposable {
  readonly proxies: readonly TestProxy[];
  /** By the id of their instance, which is that of their node. */
  readonly engines = new Map<number, TestEngine>();
  readonly #endpoints = [1, 2].map((node) => ({ ...endpointFor(undefined, { holdMs: 20_000 }), node }));
  readonly #moverHost = loopbackAddress();
  readonly #loads: Ledger[] = [];
  readonly movers = new NodeMovers({
    args: [STORE, "mover"],
    env: { PATH: process.env["PATH"] ?? "" },
    clock: systemClock,
    log: silentLog,
  });
  record: DatabaseRecord;

  private constructor(proxies: readonly TestProxy[], record: DatabaseRecord) {
    this.proxies = proxies;
    this.record = record;
  }

  /** The engines of so many shards serve, or of those with these slots, one for each. */
  static async start(shards: number | readonly string[]): Promise<TableScene> {
    const proxies = await startAll(startProxy(), startProxy());
    const scene = new TableScene(proxies, recordWithout());
    try {
      const serving = await scene.#startShards(wantedShards(shards), 1);
      scene.record = { ...scene.record, shards: serving, tableEpoch: 1 };
      await scene.configure();
    } catch (error) {
      await scene[Symbol.asyncDispose]();
      throw error;
    }
    return scene;
  }

  /** What the nodes do when they read the record: endpoints, and the mover. */
  async configure(): Promise<void> {
    const { tableEpoch = 0 } = this.record;
    const shards = this.shown(this.record.shards);
    for (const [at, { send }] of this.proxies.entries()) {
      const endpoint = this.#endpoints[at];
      if (endpoint !== undefined)
        await done(send({ op: "configure", endpoints: [{ ...endpoint, shards, tableEpoch }] }));
    }
  }

  /**
   * Starts the engines of new shards, so many or those with these slots that do not serve, the first with a replica, and the mover; waits until all have
   * the data.
   */
  async fill(shards: number | readonly string[]): Promise<void> {
    const fresh = wantedShards(shards).filter(
      (one) => !this.record.shards.some((shard) => isSameTable([one], [shard])),
    );
    const next = await this.#startShards(fresh, 1 + Math.max(...this.record.shards.map(({ id }) => id)), 1);
    await this.change((record) => ({
      ...record,
      nextInstance: 1 + Math.max(...this.engines.keys()),
      reshape: {
        tableEpoch: (record.tableEpoch ?? 0) + 1,
        phase: "copy",
        shards: next,
        mover: { node: MOVER_NODE, ports: next.map((_, at) => 20_000 + at) },
        attempt: 1,
        since: "2026-01-01T00:00:00Z",
      },
    }));
    await this.attach();
    await this.filled();
  }

  /** What the leader does for engines to be that follow nothing. */
  async attach(): Promise<void> {
    const { reshape } = this.record;
    for (const [at, shard] of (reshape?.shards ?? []).entries()) {
      const primary = this.engineOf(primaryOf(shard));
      await primary.call("REPLICAOF", this.#moverHost, reshape?.mover.ports[at] ?? 0);
      for (const replica of replicasOf(shard))
        await this.engineOf(replica).call("REPLICAOF", primary.host, primary.port);
    }
  }

  /** Waits until the shards to be have what those that serve have. */
  async filled(): Promise<void> {
    await until("the mover fills all", async () => {
      const reply = await this.ask();
      return reply.ok && reply.op === "status" && reply.status.targets.every(({ state }) => state === "following");
    });
    const replicas = (this.record.reshape?.shards ?? []).flatMap((shard) => replicasOf(shard));
    for (const replica of replicas)
      await until("a replica follows", async () => (await this.engineOf(replica).replication()).link?.status === "up");
  }

  ask(): Promise<MoverReply> {
    return this.movers.ask({ bdb: 1, attempt: this.record.reshape?.attempt ?? 0, question: { op: "status" } });
  }

  /** Ports as an agent would make them; `before` stands where a test interferes. */
  ports(before?: (step: TableStep) => Promise<void>): TablePorts {
    return {
      proxies: this.proxies.map(({ send }, i) => ({
        node: i + 1,
        send,
        isDead: () => false,
        isFenced: async () => false,
      })),
      addressOf: ({ id }) => addressOf(this.engine(id)),
      change: (change) => this.change(change),
      syncOf: () => undefined,
      askMover: ({ reshape }, question) => this.movers.ask({ bdb: 1, attempt: reshape?.attempt ?? 0, question }),
      shown: (_, shards) => this.shown(shards),
      placeOf: (upstream) => placeAt(upstream, (node) => this.#hostOf(node)),
      now: () => new Date(),
      log: silentLog,
      clock: systemClock,
      ...(before === undefined ? {} : { before }),
    };
  }

  /** Compare-and-swap, as the store of records has it; the node of the mover follows. */
  async change(change: (record: DatabaseRecord) => DatabaseRecord): Promise<DatabaseRecord> {
    await sleep(0);
    const next = change(this.record);
    if (next === this.record) return next;
    assert.equal(whyNoSuccessor(this.record, next), undefined);
    this.record = next;
    await this.movers.apply(await wantedMovers(this.#moverContext()));
    return next;
  }

  /** An engine that is of no shard yet. */
  addEngine(): Promise<InstanceRecord> {
    return this.#startInstance();
  }

  engine(id: number): TestEngine {
    const found = this.engines.get(id);
    assert.ok(found !== undefined);
    return found;
  }

  engineOf({ id }: Pick<InstanceRecord, "id">): TestEngine {
    return this.engine(id);
  }

  shown(shards: readonly ShardRecord[]) {
    return shards.map((shard) =>
      endpointShard(shard, { addressOf: (node) => this.#hostOf(node), syncOf: () => undefined }),
    );
  }

  /** A client of the proxy at this place. */
  client(proxy: number): Promise<RawClient> {
    const endpoint = this.#endpoints[proxy];
    assert.ok(endpoint !== undefined);
    return RawClient.connect(endpoint.listen);
  }

  /** Clients at both proxies that write and read without pause. */
  async startLoad(): Promise<TableLoad> {
    const started = await Promise.all(
      this.#endpoints.map(({ listen }) => startLedger({ ...listen, connections: CONNECTIONS })),
    );
    this.#loads.push(...started);
    return new TableLoad(started);
  }

  /** Each shard that serves has a primary, which answers reads also as a replica later; each other one has none. */
  async requireOneTable(): Promise<void> {
    for (const shard of everyShard(this.record)) {
      const serves = this.record.shards.includes(shard);
      const primary = this.engineOf(primaryOf(shard));
      const { role } = await primary.replication();
      assert.equal(role, serves ? "primary" : "replica", `shard ${shard.id} of ${JSON.stringify(this.record.shards)}`);
      const [, reads] = listOf(await primary.call("CONFIG", "GET", "replica-serve-stale-data"));
      if (serves) assert.equal(String(reads), "yes", `reads at shard ${shard.id}`);
    }
  }

  async #startShards(wanted: readonly SizedShard[], first: number, replicas = 0): Promise<readonly ShardRecord[]> {
    const shards: ShardRecord[] = [];
    for (const [at, { slots }] of wanted.entries()) {
      const instances = await Promise.all(
        Array.from({ length: at === 0 ? 1 + replicas : 1 }, () => this.#startInstance()),
      );
      const [primary] = instances;
      assert.ok(primary !== undefined);
      shards.push({ id: first + at, epoch: 1, primary: primary.id, instances, slots });
    }
    return shards;
  }

  async #startInstance(): Promise<InstanceRecord> {
    const engine = await startEngine({ args: ["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"] });
    const id = this.engines.size + 1;
    this.engines.set(id, engine);
    return { id, node: id, port: engine.port, storeVersion: "7.2", launch: 0 };
  }

  #hostOf(node: number): string | undefined {
    return node === MOVER_NODE ? this.#moverHost : this.engines.get(node)?.host;
  }

  #moverContext(): WantedMoversContext {
    const reportOf = (node: number) => ({ report: { address: this.#hostOf(node) } });
    return {
      config: { node: MOVER_NODE, address: this.#moverHost },
      records: { databases: () => [this.record] },
      passwords: { of: () => Promise.resolve(NO_PASSWORDS) },
      engineTls: { certificate: undefined },
      members: { get: (node) => reportOf(node) as ReturnType<WantedMoversContext["members"]["get"]> },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const load of this.#loads) await load[Symbol.asyncDispose]();
    await this.movers.stop();
    await Promise.allSettled([...this.engines.values()].map((engine) => engine.stop()));
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
  }
}

/** Clients of a scene. */
export class TableLoad {
  readonly #ledgers: readonly Ledger[];

  constructor(ledgers: readonly Ledger[]) {
    this.#ledgers = ledgers;
  }

  /** Resolves when clients have got more answers at every proxy: they are neither held nor refused. */
  async more(): Promise<void> {
    const goals = this.#ledgers.map((ledger) => ledger.requests() + 20 * CONNECTIONS);
    await until("clients at every proxy get answers", () =>
      this.#ledgers.every((ledger, i) => ledger.requests() >= (goals[i] ?? 0)),
    );
  }

  /** Ends the load; no request has failed, and every acknowledged write is there. Resolves with the longest time of a request, in milliseconds. */
  async requireNothingLost(): Promise<number> {
    const reports = await Promise.all(this.#ledgers.map((ledger) => ledger.stop()));
    for (const report of reports) assert.deepEqual([report.failed, report.lost, report.complaints], [0, 0, []]);
    return Math.max(...reports.map(({ longestMs }) => longestMs));
  }
}

const NO_PASSWORDS: Awaited<ReturnType<WantedMoversContext["passwords"]["of"]>> = {
  set: { password: "", others: [] },
  revision: 0,
  access: { clients: [""] },
  step: 0,
  certificate: undefined,
};

function recordWithout(): DatabaseRecord {
  return {
    uid: 1,
    name: "db",
    ...settingsWith({ replication: true, evictionPolicy: "noeviction" }),
    port: 12_000,
    storeVersion: "7.2",
    status: "active",
    shards: [],
    nextInstance: 1,
    lossReports: [],
    createdTime: "2026-01-01T00:00:00Z",
    lastChangedTime: "2026-01-01T00:00:00Z",
  };
}
