import { assertNever } from "../../base/assert-never.ts";
import type { DatabaseSpec } from "../../api/database-spec.ts";
import { MIN_DATABASE_BYTES, memoryBytes } from "../../api/memory.ts";
import type { Finding } from "../../api/parts.ts";
import type { EvictionPolicy, Persistence, StoreVersion } from "../../api/records.ts";
import { compareVersionText } from "../../base/version.ts";
import { defaultStoreVersion, supportedStoreVersions } from "../../releases/find.ts";
import type { Release } from "../../releases/release.ts";

/** A database as the cluster has it. */
export interface ExistingDatabase {
  readonly uid: number;
  /** No change of it is under way. */
  readonly isSettled: boolean;
  readonly memoryBytes: number;
  readonly port: number;
  readonly replication: boolean;
  readonly persistence: Persistence;
  readonly evictionPolicy: EvictionPolicy;
  readonly storeVersion: StoreVersion;
}

/** Everything that a decision about a StoreEnterpriseDatabase rests on. */
export interface DatabaseView {
  readonly name: string;
  readonly spec: DatabaseSpec;
  /** The spec has been changed since it was last turned into calls. */
  readonly isEdited: boolean;
  /** A downgrade was refused for this very spec. */
  readonly wasRefused: boolean;
  readonly release: Release;
  readonly existing: ExistingDatabase | undefined;
}

/** What the cluster is asked to change. */
export interface DatabaseSettings {
  readonly memory_size: number;
  readonly replication: boolean;
  readonly data_persistence: Persistence;
  readonly eviction_policy: EvictionPolicy;
}

export type DatabaseAct =
  | {
      readonly kind: "create";
      readonly settings: DatabaseSettings;
      readonly port?: number;
      readonly version: StoreVersion;
    }
  | { readonly kind: "update"; readonly uid: number; readonly settings: Partial<DatabaseSettings> }
  | { readonly kind: "upgrade"; readonly uid: number; readonly from: StoreVersion; readonly to: StoreVersion }
  | { readonly kind: "none" };

/** The database is at a higher version than its object says; it is never taken back. */
export interface Drift {
  readonly reason: "UpgradedByHand" | "DowngradeRefused";
  readonly message: string;
}

export interface DatabaseDecision {
  /** Why the spec cannot be acted on; empty when it can. */
  readonly findings: readonly Finding[];
  readonly drift: Drift | undefined;
  readonly act: DatabaseAct;
}

/** Decides the next act for a database from facts alone. */
export function planDatabase(view: DatabaseView): DatabaseDecision {
  const findings = RULES.map((rule) => rule(view)).filter((finding) => finding !== undefined);
  const drift = driftOf(view);
  const act: DatabaseAct = findings.length > 0 ? { kind: "none" } : actFor(view);
  return { findings, drift, act };
}

/** An act in a few words. */
export function describeAct(act: DatabaseAct): string {
  switch (act.kind) {
    case "create":
      return `creating the database at ${act.version}`;
    case "update":
      return `changing ${Object.keys(act.settings).join(", ")}`;
    case "upgrade":
      return `upgrading from ${act.from} to ${act.to}`;
    case "none":
      return "nothing to do";
    default:
      return assertNever(act);
  }
}

type DatabaseRule = (view: DatabaseView) => Finding | undefined;

const RULES: readonly DatabaseRule[] = [versionIsSupported, memoryIsEnough, oneShard, portIsKept];

function versionIsSupported({ name, spec, release }: DatabaseView): Finding | undefined {
  const supported = supportedStoreVersions(release);
  if (spec.storeVersion === undefined || supported.includes(spec.storeVersion)) return undefined;
  return {
    id: "IncompatibleDatabaseVersion",
    severity: "block",
    evidence: `spec.storeVersion is "${spec.storeVersion}"; release ${release.operator} supports ${supported.map((v) => `"${v}"`).join(", ")}`,
    remedy: patchVersion(name, supported.at(-1) ?? ""),
  };
}

function memoryIsEnough({ name, spec }: DatabaseView): Finding | undefined {
  const bytes = memoryBytes(spec.memorySize) ?? 0;
  if (bytes >= MIN_DATABASE_BYTES) return undefined;
  return {
    id: "SpecInvalid",
    severity: "block",
    evidence: `spec.memorySize is "${spec.memorySize}"; a database has at least 100MB`,
    remedy: `kubectl patch redb ${name} --type merge -p '{"spec":{"memorySize":"100MB"}}'`,
  };
}

function oneShard({ name, spec }: DatabaseView): Finding | undefined {
  if (spec.shardCount === 1) return undefined;
  return {
    id: "SpecInvalid",
    severity: "block",
    evidence: `spec.shardCount is ${spec.shardCount}; this release serves a database from one shard`,
    remedy: `kubectl patch redb ${name} --type merge -p '{"spec":{"shardCount":1}}'`,
  };
}

function portIsKept({ spec, existing }: DatabaseView): Finding | undefined {
  if (existing === undefined || spec.databasePort === undefined || spec.databasePort === existing.port)
    return undefined;
  return {
    id: "SpecInvalid",
    severity: "block",
    evidence: `spec.databasePort is ${spec.databasePort}; the database is at ${existing.port}, and a port cannot change`,
    remedy: `set spec.databasePort to ${existing.port}, or leave it out`,
  };
}

function actFor(view: DatabaseView): DatabaseAct {
  const { spec, existing, release } = view;
  const settings = settingsOf(spec);
  if (existing === undefined) {
    const port = spec.databasePort === undefined ? {} : { port: spec.databasePort };
    return { kind: "create", settings, ...port, version: spec.storeVersion ?? defaultStoreVersion(release) };
  }
  if (!existing.isSettled) return { kind: "none" };
  const changes = changesOf(settings, existing);
  if (Object.keys(changes).length > 0) return { kind: "update", uid: existing.uid, settings: changes };
  const { storeVersion: to } = spec;
  const from = existing.storeVersion;
  if (to === undefined || (compareVersionText(to, from) ?? 0) <= 0) return { kind: "none" };
  return { kind: "upgrade", uid: existing.uid, from, to };
}

function driftOf({ name, spec, existing, isEdited, wasRefused }: DatabaseView): Drift | undefined {
  const { storeVersion: asked } = spec;
  if (existing === undefined || asked === undefined) return undefined;
  if ((compareVersionText(asked, existing.storeVersion) ?? 0) >= 0) return undefined;
  const message =
    `the database is at ${existing.storeVersion} and spec.storeVersion says "${asked}"; databases never go back. ` +
    `Write what is the case: ${patchVersion(name, existing.storeVersion)}`;
  return { reason: isEdited || wasRefused ? "DowngradeRefused" : "UpgradedByHand", message };
}

function settingsOf(spec: DatabaseSpec): DatabaseSettings {
  return {
    memory_size: memoryBytes(spec.memorySize) ?? 0,
    replication: spec.replication,
    data_persistence: spec.persistence,
    eviction_policy: spec.evictionPolicy,
  };
}

function changesOf(wanted: DatabaseSettings, existing: ExistingDatabase): Partial<DatabaseSettings> {
  return {
    ...(wanted.memory_size === existing.memoryBytes ? {} : { memory_size: wanted.memory_size }),
    ...(wanted.replication === existing.replication ? {} : { replication: wanted.replication }),
    ...(wanted.data_persistence === existing.persistence ? {} : { data_persistence: wanted.data_persistence }),
    ...(wanted.eviction_policy === existing.evictionPolicy ? {} : { eviction_policy: wanted.eviction_policy }),
  };
}

function patchVersion(name: string, version: string): string {
  return `kubectl patch redb ${name} --type merge -p '{"spec":{"storeVersion":"${version}"}}'`;
}
