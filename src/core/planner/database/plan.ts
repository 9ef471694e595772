import { editObject, getObjects, patchDatabaseVersion } from "../../api/kubectl.ts";
import { assertNever } from "#kit/base/assert-never";
import type { DatabaseSpec } from "../../api/database-spec.ts";
import type { Finding } from "../../api/parts.ts";
import type { DatabaseModule, SiteOfDatabase, StoreVersion } from "../../api/records.ts";
import type { SettingValues, WireSettings } from "../../api/settings/types.ts";
import { differingSettings, settingsBesidesFallbacks, settingsOfSpec, wireOf } from "../../api/settings/values.ts";
import { compareVersionText } from "#kit/base/version";
import { defaultStoreVersion } from "../../releases/catalogue/find.ts";
import { block, warn, type FindingOf } from "../findings/finding.ts";
import { act, REST, waitFor, type Step } from "../findings/step.ts";
import { certificateFindings, type CertificateView } from "./certificate.ts";
import { DATABASE_RULES } from "../admission/database.ts";
import type { LoadedModule, ReviewedDatabase } from "../admission/reviewed-database.ts";
import { ruleFindings } from "../admission/objection.ts";
import { isSameTable, namedShards } from "../../slots/named-slots.ts";
import { clusterNamed, type References } from "../admission/references.ts";
import { strictest } from "../admission/upgrade-policy.ts";
import { waitingEdit, type ChangingDatabase } from "./waiting-edit.ts";

/** A database as the cluster has it. */
export interface ExistingDatabase extends ChangingDatabase {
  readonly uid: number;
  /** The site of an Active-Active database that the cluster knows it as; undefined when it is none. */
  readonly site: SiteOfDatabase | undefined;
  readonly port: number;
  /** The slots of each of its shards, or of those that it is to have; undefined where the cluster does not say them. */
  readonly slots: readonly string[] | undefined;
  /** They were named, and do not serve yet. */
  readonly namesSlots: boolean;
  /** What its engine has loaded; undefined while none serves. */
  readonly modules: readonly LoadedModule[] | undefined;
}

/** Everything that a decision about a StoreEnterpriseDatabase rests on. */
export interface DatabaseView {
  readonly name: string;
  readonly spec: DatabaseSpec;
  /** The spec has been changed since it was last turned into calls. */
  readonly isEdited: boolean;
  /** A downgrade was refused for this very spec. */
  readonly wasRefused: boolean;
  /** Other objects of its namespace, as far as the caller has read them. */
  readonly references: References;
  readonly existing: ExistingDatabase | undefined;
  /**
   * The Secret with the password, compared with what the cluster was given last. `missing`: there is no Secret; `lost`: the Secret is made again
   * from what the cluster has.
   */
  readonly secret: "given" | "changed" | "missing" | "lost";
  readonly secretName: string;
  readonly certificate: CertificateView;
  /** The site of an Active-Active database that it is; undefined when it is none. */
  readonly site: SiteOfDatabase | undefined;
  /** Name of the cluster that made it; undefined before one has. */
  readonly home: string | undefined;
  /** The slots of each shard in which it gets the data of a restore, before it gets those of its spec; absent where these are the same. */
  readonly firstSlots?: readonly string[] | undefined;
}

export type DatabaseAct =
  | {
      readonly kind: "create";
      /** The settings that differ from a cluster's defaults. */
      readonly settings: WireSettings;
      readonly port?: number;
      /** Absent: one, or as many as have slots. */
      readonly shards?: number;
      /** Of each shard; absent: even ones. */
      readonly slots?: readonly string[];
      readonly version: StoreVersion;
      /** Names and arguments; which build is loaded follows the version. */
      readonly modules: readonly DatabaseModule[];
      readonly site?: SiteOfDatabase;
      /** The certificate of its endpoints is sent too. */
      readonly certificate?: true;
    }
  | {
      readonly kind: "update";
      readonly uid: number;
      readonly settings: Partial<WireSettings>;
      /** Absent: as many as it has, or is to have. */
      readonly shards?: number;
      /** Of each shard; absent: those that they have, or even ones for another number. */
      readonly slots?: readonly string[];
      /** The password is read from its Secret and sent too. */
      readonly password: boolean;
      readonly site?: SiteOfDatabase;
      readonly certificate?: true;
    }
  | {
      readonly kind: "upgrade";
      readonly uid: number;
      readonly from: StoreVersion;
      readonly storeVersion: StoreVersion;
    };

/** The database is at a higher version than its object says, or on its way to one, which is never taken back; or what the object says waits. */
export type Drift = FindingOf<"UpgradedByHand" | "DowngradeRefused" | "EditWaits">;

export interface DatabaseDecision {
  /** Why the spec cannot be acted on; empty when it can. */
  readonly findings: readonly Finding[];
  /** Differences from the spec that delay nothing else. */
  readonly warnings: readonly Finding[];
  readonly drift: Drift | undefined;
  readonly step: Step<DatabaseAct>;
}

/** Decides the next step for a database from facts alone. */
export function planDatabase(view: DatabaseView): DatabaseDecision {
  const ofCertificate = certificateFindings(view.name, view.spec, view.existing, view.certificate);
  const findings = [...ruleFindings(DATABASE_RULES, factsOf(view), `redb ${view.name}`), ...ofCertificate.findings];
  const drift = driftOf(view) ?? waitingEdit(view.name, view.spec, view.existing, shardsToAsk(view));
  const [objection] = findings;
  const step = objection === undefined ? stepFor(view) : waitFor(objection);
  return { findings, warnings: [...warningsOf(view), ...ofCertificate.warnings], drift, step };
}

function stepFor(view: DatabaseView): Step<DatabaseAct> {
  const what = actFor(view);
  return what === undefined ? REST : act(what, describeAct(what));
}

/** An act in a few words. */
function describeAct(act: DatabaseAct): string {
  switch (act.kind) {
    case "create":
      return `creating the database at ${act.version}`;
    case "update":
      return `changing ${changesOf(act).join(", ")}`;
    case "upgrade":
      return `upgrading from ${act.from} to ${act.storeVersion}`;
    default:
      return assertNever(act);
  }
}

function changesOf({
  settings,
  password,
  site,
  shards,
  slots,
  certificate,
}: Extract<DatabaseAct, { readonly kind: "update" }>) {
  const secrets = [...(password ? ["the password"] : []), ...(certificate === true ? ["the certificate"] : [])];
  const counted = shards === undefined ? [] : ["the number of shards"];
  const parts = slots === undefined ? counted : ["the slots of its shards"];
  return [...Object.keys(settings), ...parts, ...(site === undefined ? [] : ["its site"]), ...secrets];
}

function factsOf({ name, spec, existing, home, references, firstSlots }: DatabaseView): ReviewedDatabase {
  const isThere = existing !== undefined || home !== undefined;
  const known = {
    port: existing?.port,
    storeVersion: existing?.storeVersion,
    shards: existing?.shards,
    cluster: home,
    modules: existing?.modules,
  };
  const reviewed = { existing: isThere ? known : undefined, references, firstSlots };
  return { kind: "redb", name, at: "spec", spec, before: undefined, ...reviewed };
}

function actFor(view: DatabaseView): DatabaseAct | undefined {
  const { existing, site } = view;
  const certificate = view.certificate.state === "due" ? { certificate: true as const } : {};
  const isLinked = site === undefined || isSameSite(site, existing?.site);
  const shards = shardsToAsk(view);
  const besides = { ...certificate, ...(isLinked ? {} : { site }), ...shards };
  if (existing === undefined) return creationOf(view, besides);
  // passwords and certificates need not wait for another change to end
  if (!existing.isSettled)
    return updateOf(view, existing, memoryGiven(settingsOfSpec(view.spec), existing), {
      ...certificate,
      // what another change makes of the number of shards may be ended
      ...(existing.mayGrow === true ? shards : {}),
    });
  const settings = wireOf(differingSettings(settingsOfSpec(view.spec), existing));
  return updateOf(view, existing, settings, besides) ?? upgradeOf(view.spec, existing);
}

/** What is sent besides settings. */
type Besides = Pick<Extract<DatabaseAct, { readonly kind: "update" }>, "certificate" | "site" | "shards" | "slots">;

/** Of shards, what the cluster was not asked for. A number without slots asks for even ones, or for those that serve. */
function shardsToAsk({ spec, existing }: DatabaseView): Pick<Besides, "shards" | "slots"> {
  if (existing === undefined) return {};
  const { shardSlots: slots } = spec;
  if (slots !== undefined) return isAsked(slots, existing) ? {} : { slots };
  const { shardCount: shards } = spec;
  if (shards === undefined || (existing.shards === shards && !existing.namesSlots)) return {};
  return { shards };
}

/** The shards that are asked for have these slots. */
function isAsked(texts: readonly string[], { slots = [] }: ExistingDatabase): boolean {
  const [wanted, asked] = [namedShards(texts), namedShards(slots)];
  return !("why" in wanted) && !("why" in asked) && isSameTable(wanted, asked);
}

function creationOf({ spec, references, firstSlots }: DatabaseView, besides: Besides): DatabaseAct {
  const port = spec.databasePort === undefined ? {} : { port: spec.databasePort };
  // nodes of older releases know no number
  const { shardCount = 1 } = spec;
  const slots = firstSlots ?? spec.shardSlots;
  const even = shardCount === 1 ? {} : { shards: shardCount };
  const shards = slots === undefined ? even : { slots };
  const cluster = clusterNamed(references, spec.storeEnterpriseCluster?.name);
  const policies = { cluster: cluster?.upgradePolicy, database: spec.storeUpgradePolicy };
  const version = spec.storeVersion ?? defaultStoreVersion(references.release, strictest(policies));
  const settings = wireOf(settingsBesidesFallbacks(settingsOfSpec(spec)));
  return { kind: "create", settings, ...port, ...shards, version, modules: modulesOf(spec), ...besides };
}

/** Undefined when there is nothing to send. */
function updateOf(
  { secret }: DatabaseView,
  { uid }: ExistingDatabase,
  settings: Partial<WireSettings>,
  besides: Besides,
): DatabaseAct | undefined {
  const password = secret === "changed";
  if (!password && Object.keys({ ...settings, ...besides }).length === 0) return undefined;
  return { kind: "update", uid, settings, password, ...besides };
}

function upgradeOf(
  { storeVersion }: DatabaseSpec,
  { uid, storeVersion: from }: ExistingDatabase,
): DatabaseAct | undefined {
  if (storeVersion === undefined || (compareVersionText(storeVersion, from) ?? 0) <= 0) return undefined;
  return { kind: "upgrade", uid, from, storeVersion };
}

/** The memory of the spec, when it is more than the database has: a move under way may wait for it. */
function memoryGiven(desired: SettingValues, existing: ExistingDatabase): Partial<WireSettings> {
  return existing.mayGrow === true && desired.memoryBytes > existing.memoryBytes
    ? wireOf({ memoryBytes: desired.memoryBytes })
    : {};
}

function isSameSite(a: SiteOfDatabase, b: SiteOfDatabase | undefined): boolean {
  return a.guid === b?.guid && a.site === b.site && a.slices === b.slices;
}

function warningsOf(view: DatabaseView): readonly Finding[] {
  return [secretWarning(view), versionWarning(view)].filter((finding) => finding !== undefined);
}

function secretWarning({ name, existing, secret, secretName }: DatabaseView): Finding | undefined {
  if (existing === undefined || secret !== "missing") return undefined;
  const evidence = `there is no Secret ${secretName}; the database keeps the password that it has`;
  const remedy = `make the Secret with the key password, or name another: ${editObject(`redb ${name}`)}`;
  return warn("DatabaseSecretMissing", evidence, remedy);
}

/** An upgrade that has begun ends where it was to lead. A still higher version comes after it. */
function versionWarning({ name, spec, existing }: DatabaseView): Finding | undefined {
  const { storeVersion: asked } = spec;
  const to = existing?.upgradesTo;
  if (to === undefined || asked === undefined || (compareVersionText(asked, to) ?? 0) <= 0) return undefined;
  const evidence = `${underWay(existing?.storeVersion ?? "", to)}; the upgrade to "${asked}" follows`;
  return warn("OtherUpgradeFirst", evidence, `wait for both: ${getObjects(`redb ${name}`)} -w`);
}

function underWay(has: string, to: string): string {
  return `the upgrade from ${has} to ${to} has begun and goes on`;
}

function driftOf({ name, spec, existing, isEdited, wasRefused }: DatabaseView): Drift | undefined {
  const { storeVersion: asked } = spec;
  if (existing === undefined || asked === undefined) return undefined;
  const { storeVersion: has, upgradesTo: to } = existing;
  if ((compareVersionText(asked, to ?? has) ?? 0) >= 0) return undefined;
  const is = to === undefined ? `the database is at ${has}` : underWay(has, to);
  const evidence = `${is}, and spec.storeVersion says "${asked}"; databases never go back`;
  const what = to === undefined ? "write what is the case" : "write where it ends";
  const remedy = `${what}: ${patchDatabaseVersion(name, to ?? has)}`;
  return isEdited || wasRefused
    ? block("DowngradeRefused", evidence, remedy)
    : warn("UpgradedByHand", evidence, remedy);
}

function modulesOf({ modulesList, moduleList }: DatabaseSpec): readonly DatabaseModule[] {
  return (modulesList ?? moduleList ?? []).map(({ name, config = "" }) => ({ name, args: config }));
}
