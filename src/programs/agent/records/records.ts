import type { ConfigMap } from "kubernetes-types/core/v1.js";
import { APP_LABEL, LABELS, clusterNames } from "../../../core/api/names.ts";
import type { ClusterStateRecord, DatabaseRecord } from "../../../core/api/records.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { Fault, isFault, messageOf } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import { ConfigMaps } from "../../../ports/kube/builtin.ts";
import { faults as kubeFaults } from "../../../ports/kube/faults.ts";
import { startInformer } from "../../../ports/kube/informer.ts";
import type { Kube, Stored } from "../../../ports/kube/kube.ts";
import { changeObject } from "../../../ports/kube/records.ts";
import { isNewer } from "../../../ports/kube/resource-version.ts";
import { faults } from "../faults.ts";
import { parseClusterRecord, parseDatabaseRecord } from "./schema.ts";

/** The truth about the cluster and its databases, as this process last saw it, and the way to change it. */
export interface Records {
  readonly synced: Promise<void>;
  state(): ClusterStateRecord | undefined;
  databases(): readonly DatabaseRecord[];
  database(uid: number): DatabaseRecord | undefined;
  /** False while some record was never readable: what it asks for is not known then. */
  complete(): boolean;
  /** Reads every record from the API server: afterwards nothing is older than when this was called. */
  refresh(): Promise<void>;
  /** Compare-and-swap; the answer is what is stored then. */
  changeState(change: (state: ClusterStateRecord) => ClusterStateRecord): Promise<ClusterStateRecord>;
  /** Compare-and-swap; undefined when the database is gone. */
  changeDatabase(uid: number, change: (record: DatabaseRecord) => DatabaseRecord): Promise<DatabaseRecord | undefined>;
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

/** Follows the record objects of the cluster. What this process writes itself is seen here at once. */
export function followRecords(options: RecordsOptions): Records {
  const { kube, cluster, namespace, log } = options;
  const informer = startInformer(kube, ConfigMaps, {
    ...options,
    labelSelector: `${LABELS.cluster}=${cluster},${LABELS.record}`,
  });
  const mirror = new Mirror(cluster, log);
  informer.onChange((_ref, current, previous) => {
    if (current !== undefined) mirror.put(current);
    else if (previous !== undefined) mirror.drop(previous);
  });

  const change = async (name: string, text: (old: string) => string): Promise<Stored<ConfigMap> | undefined> => {
    const ref = { name, namespace };
    const stored = await changeObject(kube, ConfigMaps, ref, (current) => {
      const record = text(current.data?.record ?? "");
      return record === current.data?.record ? undefined : { ...current, data: { ...current.data, record } };
    });
    if (stored !== undefined) mirror.put(stored);
    return stored;
  };
  const create = async (name: string, kind: "cluster" | "database", record: object): Promise<void> => {
    const labels = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster, [LABELS.record]: kind };
    const data = { record: JSON.stringify(record) };
    mirror.put(await kube.create(ConfigMaps, { metadata: { name, namespace, labels }, data }));
  };

  return {
    synced: informer.synced,
    state: () => mirror.state,
    databases: () => [...mirror.databases.values()].toSorted((a, b) => a.uid - b.uid),
    database: (uid) => mirror.databases.get(uid),
    complete: () => mirror.unreadable.size === 0,
    async refresh() {
      const labelSelector = `${LABELS.cluster}=${cluster},${LABELS.record}`;
      const { items } = await kube.list(ConfigMaps, { namespace, labelSelector });
      for (const item of items) mirror.put(item);
    },
    async changeState(next) {
      const name = clusterNames.clusterRecord(cluster);
      const stored =
        (await change(name, (old) => JSON.stringify(next(parseClusterRecord(old, name))))) ??
        (await firstState(create, name, options.clock).then(() =>
          change(name, (old) => JSON.stringify(next(parseClusterRecord(old, name)))),
        ));
      return parseClusterRecord(stored?.data?.record ?? "", name);
    },
    async changeDatabase(uid, next) {
      const name = clusterNames.databaseRecord(cluster, uid);
      const stored = await change(name, (old) => JSON.stringify(next(parseDatabaseRecord(old, name))));
      return stored === undefined ? undefined : parseDatabaseRecord(stored.data?.record ?? "", name);
    },
    createDatabase: (record) => create(clusterNames.databaseRecord(cluster, record.uid), "database", record),
    async removeDatabase(uid) {
      await kube.delete(ConfigMaps, { name: clusterNames.databaseRecord(cluster, uid), namespace });
      mirror.forget(uid);
    },
    onChange: (listener) => {
      mirror.listeners.push(listener);
    },
  };
}

async function firstState(
  create: (name: string, kind: "cluster", record: ClusterStateRecord) => Promise<void>,
  name: string,
  clock: Clock,
): Promise<void> {
  try {
    await create(name, "cluster", {
      createdTime: clock.now().toISOString(),
      nextDatabase: 1,
      maintenance: [],
      finished: [],
    });
  } catch (error) {
    // another node was first: its record is as good
    if (!isFault(error, kubeFaults.alreadyExists)) throw error;
  }
}

/** What was seen last of each record; an older version never replaces a newer one. */
class Mirror {
  state: ClusterStateRecord | undefined;
  readonly databases = new Map<number, DatabaseRecord>();
  readonly listeners: ((database: number | undefined) => void)[] = [];
  readonly unreadable = new Set<string>();
  readonly #versions = new Map<string, string>();
  readonly #stateName: string;
  readonly #log: Log;

  constructor(cluster: string, log: Log) {
    this.#stateName = clusterNames.clusterRecord(cluster);
    this.#log = log;
  }

  put(object: Stored<ConfigMap>): void {
    const { uid, name, resourceVersion } = object.metadata;
    if (!isNewer(resourceVersion, this.#versions.get(uid))) return;
    this.#versions.set(uid, resourceVersion);
    try {
      const text = object.data?.record ?? "";
      if (name === this.#stateName) this.state = parseClusterRecord(text, name);
      else this.#keep(parseDatabaseRecord(text, name));
      this.unreadable.delete(name);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== faults.badRecord.code) throw error;
      if (!this.#isKnown(name)) this.unreadable.add(name);
      this.#log.error("a record is not usable, the one before stays in use", { name, error });
    }
    this.#tell(name === this.#stateName ? undefined : uidOf(name));
  }

  drop(object: Stored<ConfigMap>): void {
    this.unreadable.delete(object.metadata.name);
    if (object.metadata.name === this.#stateName) this.state = undefined;
    else this.forget(uidOf(object.metadata.name));
  }

  forget(uid: number): void {
    if (this.databases.delete(uid)) this.#tell(uid);
  }

  #isKnown(name: string): boolean {
    return name === this.#stateName ? this.state !== undefined : this.databases.has(uidOf(name));
  }

  #keep(record: DatabaseRecord): void {
    this.databases.set(record.uid, record);
  }

  #tell(database: number | undefined): void {
    for (const listener of this.listeners) {
      try {
        listener(database);
      } catch (error) {
        this.#log.error("a listener of records failed", { error: messageOf(error) });
      }
    }
  }
}

function uidOf(name: string): number {
  return Number(name.slice(name.lastIndexOf("-") + 1));
}
