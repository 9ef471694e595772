import { randomUUID } from "node:crypto";
import type { ConfigMap } from "kubernetes-types/core/v1.js";
import { bdbView } from "../../../src/programs/agent/api/databases/bdb-view.ts";
import { shardViews } from "../../../src/programs/agent/api/databases/shard-view.ts";
import { actionRecord } from "../../../src/programs/agent/api/cluster/actions.ts";
import { refusals, refuse } from "../../../src/programs/agent/api/http/refusals.ts";
import type { EngineAnswers } from "../../../src/programs/agent/observation/engine-answers.ts";
import { APP_LABEL, clusterNames, ENDPOINT_PORTS, LABELS, SHARD_PORTS } from "../../../src/core/api/names.ts";
import { databaseService } from "../../../src/programs/rigger/endpoints.ts";
import type { DatabaseRecord } from "../../../src/core/api/records.ts";
import { ConfigMaps, Secrets, Services } from "#kit/kube/builtin";
import { ownerReference } from "#kit/kube/ref";
import type { Kube, Stored } from "#kit/kube/kube";
import type { ActionRecord, BdbCreate, BdbRecord, ShardInstanceRecord } from "../../../src/ports/management/records.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { changesOfWire, settingsOfWire } from "../../../src/core/api/settings/values.ts";

export interface SimulatedDatabasesOptions {
  readonly cluster: string;
  readonly namespace: string;
  /** Of the nodes. */
  readonly addresses: readonly string[];
  /** How long an engine takes to start, or a database to take new settings, in milliseconds. */
  readonly changeMs: number;
}

interface Kept {
  readonly record: DatabaseRecord;
  readonly stored: Stored<ConfigMap>;
}

/** Databases without engines: records in the ConfigMaps that agents write, each change of one done after `changeMs`. */
export class SimulatedDatabases {
  readonly #kube: Kube;
  readonly #options: SimulatedDatabasesOptions;
  readonly #kept = new Map<number, Kept>();
  readonly #names = new Set<string>();
  readonly #changes = new Set<Promise<void>>();
  #next = 1;

  constructor(kube: Kube, options: SimulatedDatabasesOptions) {
    this.#kube = kube;
    this.#options = options;
  }

  all(): readonly BdbRecord[] {
    return [...this.#kept.values()].map(({ record }) => this.#view(record));
  }

  shards(): readonly ShardInstanceRecord[] {
    const addressOf = (node: number): string | undefined => this.#options.addresses[node - 1];
    return [...this.#kept.values()].flatMap(({ record }) =>
      shardViews(record, { answers: answersOf(record), addressOf, nodes: [], reports: new Map() }),
    );
  }

  find(uid: string | undefined): BdbRecord {
    return this.#view(this.#keptAs(uid).record);
  }

  async create(body: BdbCreate): Promise<BdbRecord> {
    if (this.#names.has(body.name)) throw refuse(refusals.nameTaken, `there is a database "${body.name}" already`);
    this.#names.add(body.name);
    const record = newRecord(this.#next++, body);
    const { cluster, namespace } = this.#options;
    const labels = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster, [LABELS.record]: "database" };
    const name = clusterNames.databaseRecord(cluster, record.uid);
    const data = { record: JSON.stringify(record) };
    const secret = {
      metadata: {
        name: clusterNames.databaseSecret(cluster, record.uid),
        namespace,
        labels: { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster, [LABELS.database]: String(record.uid) },
      },
      stringData: { password: body.authentication_redis_pass ?? "" },
    };
    // the operator has made those of the first ones
    await this.#kube.apply(Secrets, secret, { fieldManager: "nodes", force: true });
    const stored = await this.#kube.create(ConfigMaps, { metadata: { name, namespace, labels }, data });
    // as the rigger does
    const service = databaseService(this.#view(record), { cluster, namespace, owner: ownerReference(stored) });
    await this.#kube.apply(Services, service, { fieldManager: clusterNames.rigger(cluster), force: true });
    this.#kept.set(record.uid, { record, stored });
    this.#finishLater(record.uid);
    return this.#view(record);
  }

  async update(uid: string | undefined, body: Partial<BdbCreate>): Promise<BdbRecord> {
    const { record } = this.#keptAs(uid);
    if (record.status !== "active") throw refuse(refusals.busy, `"${record.name}" is ${record.status}`);
    const next: DatabaseRecord = {
      ...record,
      ...changesOfWire(body),
      status: "active-change-pending",
      lastAction: { uid: randomUUID(), name: "update_bdb", status: "running", progress: 0 },
      lastChangedTime: systemClock.now().toISOString(),
    };
    await this.#keep(next);
    this.#finishLater(record.uid);
    return this.#view(next);
  }

  async remove(uid: string | undefined): Promise<DatabaseRecord> {
    const { record, stored } = this.#keptAs(uid);
    const { name, namespace = "" } = stored.metadata;
    await this.#kube.delete(ConfigMaps, { name, namespace });
    await this.#kube.delete(Secrets, {
      name: clusterNames.databaseSecret(this.#options.cluster, record.uid),
      namespace,
    });
    await this.#kube.delete(Services, { name: record.name, namespace });
    this.#kept.delete(record.uid);
    this.#names.delete(record.name);
    return record;
  }

  actions(): readonly ActionRecord[] {
    return [...this.#kept.values()].flatMap(({ record: { uid, lastAction } }) =>
      lastAction === undefined ? [] : [actionRecord({ ...lastAction, object: `bdb:${uid}` })],
    );
  }

  /** Resolves once no change is under way. */
  async idle(): Promise<void> {
    while (this.#changes.size > 0) await Promise.all(this.#changes);
  }

  #keptAs(uid: string | undefined): Kept {
    const kept = this.#kept.get(Number(uid));
    if (kept === undefined) throw refuse(refusals.noSuchDatabase, `there is no database ${uid ?? ""}`);
    return kept;
  }

  #finishLater(uid: number): void {
    const change = this.#finish(uid).finally(() => this.#changes.delete(change));
    this.#changes.add(change);
  }

  async #finish(uid: number): Promise<void> {
    await systemClock.sleep(this.#options.changeMs);
    const kept = this.#kept.get(uid);
    if (kept?.record.lastAction === undefined) return;
    const lastAction = { ...kept.record.lastAction, status: "completed", progress: 100 } as const;
    await this.#keep({ ...kept.record, status: "active", lastAction });
  }

  async #keep(record: DatabaseRecord): Promise<void> {
    const { stored } = this.#keptAs(String(record.uid));
    const data = { record: JSON.stringify(record) };
    this.#kept.set(record.uid, { record, stored: await this.#kube.update(ConfigMaps, { ...stored, data }) });
  }

  #view(record: DatabaseRecord): BdbRecord {
    const { addresses, namespace } = this.#options;
    const endpoints = addresses.map((address, at) => ({ uid: at + 1, address, isLeaving: false }));
    return bdbView(record, { answers: answersOf(record), endpoints, namespace, script: undefined });
  }
}

function newRecord(uid: number, body: BdbCreate): DatabaseRecord {
  const now = systemClock.now().toISOString();
  const storeVersion = body.redis_version ?? "8.2";
  return {
    uid,
    name: body.name,
    ...settingsOfWire(body),
    port: ENDPOINT_PORTS.first + uid - 1,
    storeVersion,
    modules: (body.module_list ?? []).map(({ module_name: name, module_args: args = "" }) => ({ name, args })),
    status: "pending",
    shards: [
      {
        id: 1,
        epoch: 1,
        primary: 1,
        instances: [{ id: 1, node: 1 + (uid % 3), port: SHARD_PORTS.first + uid, storeVersion, launch: 1 }],
      },
    ],
    nextInstance: 2,
    lastAction: { uid: randomUUID(), name: "create_bdb", status: "running", progress: 0 },
    lossReports: [],
    createdTime: now,
    lastChangedTime: now,
  };
}

/** Engines that clients write to: each look finds a higher offset. */
function answersOf({ status, storeVersion, modules = [] }: DatabaseRecord): EngineAnswers {
  if (status === "pending") return new Map();
  const offset = Math.floor(performance.now() * 100);
  return new Map([
    [
      1,
      {
        state: "serving",
        engine: { family: "redis", version: `${storeVersion}.2` },
        replication: { role: "primary", replicationId: "simulated", offset, replicas: [] },
        hasData: true,
        configFile: "",
        info: new Map(),
        modules: modules.map(({ name }) => ({ name, version: 10_000, path: "", args: [] })),
      },
    ],
  ]);
}
