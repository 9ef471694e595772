import type { ConfigMap } from "kubernetes-types/core/v1.js";
import { clusterNames } from "../../../core/api/names.ts";
import type { ClusterStateRecord, DatabaseRecord } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { Stored } from "#kit/kube/kube";
import { isNewer } from "#kit/kube/resource-version";
import { faults } from "../faults.ts";
import { parseClusterRecord, parseDatabaseRecord } from "./schema.ts";

/** The records as this process last saw them; an older version never replaces a newer one, unless the storage was set back. */
export class RecordMirror {
  state: ClusterStateRecord | undefined;
  readonly databases = new Map<number, DatabaseRecord>();
  readonly listeners: ((database: number | undefined) => void)[] = [];
  /** Objects that were never readable, by name. */
  readonly #unreadable = new Set<string>();
  #all: readonly DatabaseRecord[] | undefined;
  readonly #versions = new Map<string, string>();
  /** By uid of the database. */
  readonly #databaseVersions = new Map<number, string>();
  readonly #vanished = new Map<number, { readonly name: string; readonly at: number }>();
  readonly #stateName: string;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(cluster: string, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#stateName = clusterNames.clusterRecord(cluster);
    this.#clock = clock;
    this.#log = log;
  }

  /** `previous`: what the informer had before; it goes back to an older version only where the storage was set back. */
  put(object: Stored<ConfigMap>, previous?: Stored<ConfigMap>): void {
    const { uid, name, resourceVersion } = object.metadata;
    const wasSetBack = previous?.metadata.uid === uid && isNewer(previous.metadata.resourceVersion, resourceVersion);
    if (!wasSetBack && !isNewer(resourceVersion, this.#versions.get(uid))) return;
    this.#versions.set(uid, resourceVersion);
    try {
      const text = object.data?.record ?? "";
      if (name === this.#stateName) this.state = parseClusterRecord(text, name);
      else this.#keep(parseDatabaseRecord(text, name), resourceVersion);
      this.#unreadable.delete(name);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== faults.badRecord.code) throw error;
      if (!this.#isKnown(name)) this.#unreadable.add(name);
      this.#log.error("a record is not usable; the one before stays in use", { name, error });
    }
    this.#notify(name === this.#stateName ? undefined : uidOf(name));
  }

  drop(object: Stored<ConfigMap>): void {
    this.#unreadable.delete(object.metadata.name);
    const uid = uidOf(object.metadata.name);
    const known = this.databases.get(uid);
    if (known !== undefined && known.status !== "delete-pending")
      this.#vanished.set(uid, { name: known.name, at: this.#clock.uptimeMs() });
    if (object.metadata.name === this.#stateName) this.state = undefined;
    else this.forget(uid);
  }

  /** The records of all databases, by uid; the same list until one changes. */
  all(): readonly DatabaseRecord[] {
    this.#all ??= [...this.databases.values()].toSorted((a, b) => a.uid - b.uid);
    return this.#all;
  }

  /** The version that the API server has given to the record of a database; undefined without one. */
  versionOf(uid: number): string | undefined {
    return this.#databaseVersions.get(uid);
  }

  /** Names of the databases whose records have vanished since `ms`, without having been deleted, and are not back. */
  vanishedWithin(ms: number): readonly string[] {
    const now = this.#clock.uptimeMs();
    return [...this.#vanished]
      .filter(([uid, { at }]) => !this.databases.has(uid) && now - at < ms)
      .map(([, { name }]) => name);
  }

  /** False while the record of the database was never readable, or an unreadable record may be that of any database. */
  isReadable(bdb: number): boolean {
    return ![...this.#unreadable].map(uidOf).some((uid) => uid === bdb || !Number.isInteger(uid));
  }

  forget(uid: number): void {
    if (!this.databases.delete(uid)) return;
    this.#databaseVersions.delete(uid);
    this.#all = undefined;
    this.#notify(uid);
  }

  #isKnown(name: string): boolean {
    return name === this.#stateName ? this.state !== undefined : this.databases.has(uidOf(name));
  }

  #keep(record: DatabaseRecord, version: string): void {
    this.databases.set(record.uid, record);
    this.#databaseVersions.set(record.uid, version);
    this.#all = undefined;
  }

  #notify(database: number | undefined): void {
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
