import type { ConfigMap } from "kubernetes-types/core/v1.js";
import { FORMAT } from "../../../core/api/format.ts";
import { APP_LABEL, LABELS, clusterNames } from "../../../core/api/names.ts";
import type { ClusterStateRecord, DatabaseRecord } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { isFault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { ConfigMaps } from "#kit/kube/builtin";
import { faults as kubeFaults } from "#kit/kube/faults";
import { startInformer } from "#kit/kube/informer";
import type { Kube, Stored } from "#kit/kube/kube";
import { changeObject } from "#kit/kube/records";
import { RecordMirror } from "./mirror.ts";
import { PlaceClaims } from "./place-claims.ts";
import { badRecord, parseClusterRecord, parseDatabaseRecord } from "./schema.ts";
import { whyNoSuccessor, whyNotServable } from "../../../core/records/slots-of-shards.ts";
import { toStored } from "../../../core/records/stored-database.ts";

/** The records of the cluster and its databases, as this process last saw them, and the way to change them. */
export interface Records {
  readonly synced: Promise<void>;
  state(): ClusterStateRecord | undefined;
  databases(): readonly DatabaseRecord[];
  database(uid: number): DatabaseRecord | undefined;
  /** The version that the API server has given to the record of a database; undefined without one. */
  versionOf(uid: number): string | undefined;
  /** Names of the databases whose records have vanished within that time, without having been deleted. */
  vanishedWithin(ms: number): readonly string[];
  /** False while the record of the database, or that of the cluster, was never readable: what they ask for is not known then. */
  isReadable(bdb: number): boolean;
  /** Reads every record from the API server: afterwards nothing is older than when this was called. */
  refresh(): Promise<void>;
  /** Reads the record of one database, or that of the cluster, from the API server, if there is one. */
  reload(of: number | "cluster"): Promise<void>;
  /** Compare-and-swap; the answer is what is stored then. */
  changeState(change: (state: ClusterStateRecord) => ClusterStateRecord): Promise<ClusterStateRecord>;
  /** Compare-and-swap; undefined when the database is gone. Rejects with AGENT_PLACE_TAKEN where an instance would get a port that another database has. */
  changeDatabase(uid: number, change: (record: DatabaseRecord) => DatabaseRecord): Promise<DatabaseRecord | undefined>;
  /** Rejects as `changeDatabase` does. */
  createDatabase(record: DatabaseRecord): Promise<void>;
  removeDatabase(uid: number): Promise<void>;
  /** Calls back after each change of a record, with the uid of the database when it is one. */
  onChange(listener: (database: number | undefined) => void): void;
}

export interface RecordsOptions {
  readonly kube: Kube;
  readonly cluster: string;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Follows the record objects of the cluster. A change by this process shows here at once. */
export function followRecords(options: RecordsOptions): Records {
  const { kube, cluster, namespace } = options;
  const labelSelector = `${LABELS.cluster}=${cluster},${LABELS.record}`;
  const informer = startInformer(kube, ConfigMaps, { ...options, labelSelector });
  const mirror = new RecordMirror(cluster, options);
  informer.onChange((_ref, current, previous) => {
    if (current !== undefined) mirror.put(current, previous);
    else if (previous !== undefined) mirror.drop(previous);
  });
  const writer = new RecordWriter(options, mirror);
  return {
    synced: informer.synced,
    state: () => mirror.state,
    databases: () => mirror.all(),
    database: (uid) => mirror.databases.get(uid),
    versionOf: (uid) => mirror.versionOf(uid),
    vanishedWithin: (ms) => mirror.vanishedWithin(ms),
    isReadable: (bdb) => mirror.isReadable(bdb),
    async refresh() {
      const { items } = await kube.list(ConfigMaps, { namespace, labelSelector });
      for (const item of items) mirror.put(item);
    },
    async reload(of) {
      const name = of === "cluster" ? clusterNames.clusterRecord(cluster) : clusterNames.databaseRecord(cluster, of);
      const stored = await kube.get(ConfigMaps, { name, namespace });
      if (stored !== undefined) mirror.put(stored);
    },
    changeState: (change) => writer.changeState(change),
    changeDatabase: (uid, change) => writer.changeDatabase(uid, change),
    createDatabase: (record) => writer.createDatabase(record),
    removeDatabase: (uid) => writer.removeDatabase(uid),
    onChange: (listener) => {
      mirror.listeners.push(listener);
    },
  };
}

/** Writes records, and shows what is stored to the mirror. */
class RecordWriter {
  readonly #options: RecordsOptions;
  readonly #mirror: RecordMirror;
  readonly #claims: PlaceClaims;

  constructor(options: RecordsOptions, mirror: RecordMirror) {
    this.#options = options;
    this.#mirror = mirror;
    this.#claims = new PlaceClaims(() => mirror.all());
  }

  async changeState(change: (state: ClusterStateRecord) => ClusterStateRecord): Promise<ClusterStateRecord> {
    const name = clusterNames.clusterRecord(this.#options.cluster);
    const text = (old: string): string => {
      const before = parseClusterRecord(old, name);
      const after = change(before);
      return isSame(before, after) ? old : stateText(after);
    };
    let stored = await this.#change(name, text);
    if (stored === undefined) {
      await this.#createState(name);
      stored = await this.#change(name, text);
    }
    return parseClusterRecord(stored?.data?.record ?? "", name);
  }

  async changeDatabase(
    uid: number,
    change: (record: DatabaseRecord) => DatabaseRecord,
  ): Promise<DatabaseRecord | undefined> {
    const name = clusterNames.databaseRecord(this.#options.cluster, uid);
    const stored = await this.#claims.during((claim) =>
      this.#change(name, (old) => {
        const before = parseDatabaseRecord(old, name);
        const after = change(before);
        claim(before, after);
        return isSame(before, after) ? old : databaseText(after, whyNoSuccessor(before, after), name);
      }),
    );
    return stored === undefined ? undefined : parseDatabaseRecord(stored.data?.record ?? "", name);
  }

  async createDatabase(record: DatabaseRecord): Promise<void> {
    const name = clusterNames.databaseRecord(this.#options.cluster, record.uid);
    await this.#claims.during((claim) => {
      claim(undefined, record);
      return this.#create(name, "database", databaseText(record, whyNotServable(record), name));
    });
  }

  async removeDatabase(uid: number): Promise<void> {
    const { kube, cluster, namespace } = this.#options;
    await kube.delete(ConfigMaps, { name: clusterNames.databaseRecord(cluster, uid), namespace });
    this.#mirror.forget(uid);
  }

  async #create(name: string, kind: "cluster" | "database", record: string): Promise<void> {
    const { kube, cluster, namespace } = this.#options;
    const labels = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster, [LABELS.record]: kind };
    this.#mirror.put(await kube.create(ConfigMaps, { metadata: { name, namespace, labels }, data: { record } }));
  }

  async #change(name: string, text: (old: string) => string): Promise<Stored<ConfigMap> | undefined> {
    const { kube, namespace } = this.#options;
    const stored = await changeObject(kube, ConfigMaps, { name, namespace }, (current) => {
      const record = text(current.data?.record ?? "");
      return record === current.data?.record ? undefined : { ...current, data: { ...current.data, record } };
    });
    if (stored !== undefined) this.#mirror.put(stored);
    return stored;
  }

  async #createState(name: string): Promise<void> {
    const createdTime = this.#options.clock.now().toISOString();
    try {
      const state = { createdTime, nextDatabase: 1, maintenance: [], finished: [] };
      await this.#create(name, "cluster", stateText(state));
    } catch (error) {
      // another node was first: its record serves as well
      if (!isFault(error, kubeFaults.alreadyExists)) throw error;
    }
  }
}

function isSame(before: object, after: object): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}

function stateText(state: ClusterStateRecord): string {
  return JSON.stringify({ ...state, format: FORMAT });
}

/** Refuses what no program could read: a record once stored is the truth. */
function databaseText(record: DatabaseRecord, objection: string | undefined, name: string): string {
  if (objection !== undefined) throw badRecord(name, objection);
  return JSON.stringify(toStored(record));
}
