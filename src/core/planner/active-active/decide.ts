import { assertNever } from "#kit/base/assert-never";
import { deleteActiveActive } from "../../api/kubectl.ts";
import type { ActiveActiveSpec } from "../../api/active-active.ts";
import type { Finding } from "../../api/parts.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { defaultStoreVersion } from "../../releases/catalogue/find.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { agreementText, compareSpec, firstRecord } from "./agreement.ts";
import { canonical } from "./canonical.ts";
import { linkedDatabaseAct, type ParticipantDatabase, type LinkedDatabaseAct } from "./linked.ts";
import { numberSites, siteNumber, withoutNumbers } from "./numbers.ts";
import { participantFindings, type Participant } from "./participants.ts";
import type { LinkFacts } from "./replication.ts";
import { turnFindings, type SiteDatabase } from "./turn.ts";
import { deletionBy, deletionOf, joinedRecord, liveRecord, recordOf } from "./record.ts";
import { sliceFindings } from "./slices.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import { strictest } from "../admission/upgrade-policy.ts";
import { block } from "../findings/finding.ts";
import { act, REST, waitFor, type Step } from "../findings/step.ts";

/** The object of an Active-Active database on this participant. */
export interface ActiveActiveObject {
  readonly uid: string;
  readonly spec: ActiveActiveSpec;
  readonly isDeleted: boolean;
  /** What is remembered of when it was last the same everywhere. */
  readonly agreed: string | undefined;
  /** Identity of the database, once it had one. */
  readonly guid: string | undefined;
  /** The version that this participant shall have without waiting for others; undefined when none was named. */
  readonly upgradeNow: string | undefined;
}

/** Everything that a decision about an Active-Active database rests on. */
export interface ActiveActiveView {
  readonly name: string;
  readonly release: Release;
  /** Of the own cluster. */
  readonly cluster: string;
  /** Which versions the own cluster lets its databases move to; undefined when it does not say. */
  readonly clusterPolicy: SettingValues["upgradePolicy"] | undefined;
  /** Every node of the own cluster knows links between sites, as those of releases before 0.4.0 do not. */
  readonly knowsLinks: boolean;
  /** The remote cluster that stands for the own cluster; undefined when none does. */
  readonly self: string | undefined;
  readonly object: ActiveActiveObject | undefined;
  /** What the own cluster knows. */
  readonly own: readonly ActiveActiveRecord[];
  /** What the other clusters know, as far as they answer. */
  readonly others: readonly ActiveActiveRecord[];
  readonly participants: readonly Participant[];
  /** The databases of each participant that answers and has one. */
  readonly siteDatabases: readonly SiteDatabase[];
  /** What the own cluster says of its link; undefined while it does not answer. */
  readonly link: LinkFacts | undefined;
  readonly database: ParticipantDatabase | undefined;
  /** What the rules on its spec object to. */
  readonly objections: readonly Finding[];
}

export type ActiveActiveAct =
  | { readonly kind: "make-object"; readonly record: ActiveActiveRecord }
  | { readonly kind: "delete-object" }
  | { readonly kind: "release-object" }
  | { readonly kind: "write-object"; readonly record: ActiveActiveRecord; readonly isVersionEdited: boolean }
  | { readonly kind: "remember"; readonly agreed: string }
  | { readonly kind: "write-record"; readonly record: ActiveActiveRecord }
  | LinkedDatabaseAct;

export interface ActiveActiveDecision {
  readonly step: Step<ActiveActiveAct>;
  /** Why the spec cannot be acted on here. */
  readonly findings: readonly Finding[];
  /** Why the database gets no other version at the moment, participant by participant (§9). */
  readonly held: readonly Finding[];
  /** Why this site does not get it before others, or before it has caught up with them. */
  readonly awaited: readonly Finding[];
  /** What is known everywhere, as far as answers have come. */
  readonly record: ActiveActiveRecord | undefined;
}

/** Decides the next step for an Active-Active database on one participant from facts alone. */
export function decideActiveActive(view: ActiveActiveView): ActiveActiveDecision {
  const known = knownRecord(view);
  const held = participantFindings(view.participants);
  const awaited = awaitedBy(view, known);
  const { object, self } = view;
  const objections = objectionsTo(view, known);
  const decided = { findings: objections, held, awaited, record: known };
  if (object === undefined) return { ...decided, findings: [], step: stepOf(actWithoutObject(view, known)) };
  if (object.isDeleted) return { ...decided, step: stepOf(teardownAct(view, known, object)) };
  if (isDeletedElsewhere(view, object)) return { ...decided, step: stepOf({ kind: "delete-object" }) };
  const participates = object.spec.participatingClusters.some(({ name }) => name === self);
  if (self === undefined || !participates) {
    const objection = notParticipating(view);
    return { ...decided, findings: [...objections, objection], step: waitFor(objection) };
  }
  const agreement = alignWithRecord({ ...view, objections }, known, object, self);
  if (agreement !== undefined) return { ...decided, step: stepOf(agreement) };
  const [objection] = objections;
  if (objection !== undefined) return { ...decided, step: waitFor(objection) };
  if (known === undefined) return { ...decided, step: REST };
  const mayUpgrade = held.length === 0 && awaited.length === 0;
  return { ...decided, step: stepOf(linkedDatabaseAct({ ...view, self, record: known, mayUpgrade })) };
}

function objectionsTo(view: ActiveActiveView, known: ActiveActiveRecord | undefined): readonly Finding[] {
  const { object, participants, objections } = view;
  return object === undefined ? objections : [...objections, ...sliceFindings(object.spec, known, participants)];
}

function stepOf(what: ActiveActiveAct | undefined): Step<ActiveActiveAct> {
  return what === undefined ? REST : act(what, describeActiveActiveAct(what));
}

/** An act in a few words. */
function describeActiveActiveAct(act: ActiveActiveAct): string {
  switch (act.kind) {
    case "make-object":
      return "making the object here";
    case "delete-object":
      return "deleting the object here, as it was deleted on another participant";
    case "release-object":
      return "releasing the object";
    case "write-object":
      return "writing into the object what another participant says";
    case "remember":
      return "noting that all participants say the same";
    case "write-record":
      return "telling the other participants";
    case "make-database":
      return "making the database of this participant";
    case "write-database":
      return "changing the database of this participant";
    default:
      return assertNever(act);
  }
}

function awaitedBy(view: ActiveActiveView, record: ActiveActiveRecord | undefined): readonly Finding[] {
  const { self, siteDatabases: databases, link, object } = view;
  if (self === undefined || record === undefined) return [];
  return turnFindings({ record, self, databases, link, now: object?.upgradeNow });
}

/** What the participants know of the database together; undefined when none knows it, or it is deleted. */
function knownRecord(view: ActiveActiveView): ActiveActiveRecord | undefined {
  const { name, own, others } = view;
  const all = [...own, ...others];
  const isGone = ({ guid, deleted }: ActiveActiveRecord): boolean =>
    deleted === true || deletionOf(all, guid) !== undefined;
  const live = all.filter((record) => record.name === name && !isGone(record));
  const [first, ...rest] = live;
  return first && storedRecord(view, rest.reduce(joinedRecord, first));
}

/** As the own cluster takes it. */
function storedRecord({ knowsLinks }: ActiveActiveView, record: ActiveActiveRecord): ActiveActiveRecord {
  return knowsLinks ? numberSites(record) : withoutNumbers(record);
}

/** Made on another participant, and to be here too; or gone, and the own cluster does not know it yet. */
function actWithoutObject(view: ActiveActiveView, known: ActiveActiveRecord | undefined): ActiveActiveAct | undefined {
  const { name, own, others, self } = view;
  const mine = liveRecord(own, name);
  const deleted = mine && deletionOf([...own, ...others], mine.guid);
  if (deleted !== undefined) return { kind: "write-record", record: deleted };
  const isElsewhere = known !== undefined && liveRecord(others, name) !== undefined;
  if (!isElsewhere || self === undefined || !known.participants.some((one) => one.name === self)) return undefined;
  return hasDeletedSite(own, known, self) ? undefined : { kind: "make-object", record: known };
}

/** It has deleted its database under the number that the site still has: without its data it needs another one. */
function hasDeletedSite(own: readonly ActiveActiveRecord[], known: ActiveActiveRecord, self: string): boolean {
  const mine = recordOf(own, known.guid);
  return mine?.deleted === true && siteNumber(mine, self) === siteNumber(known, self);
}

/** Deleted here: the others know it before the object goes, unless this cluster does not take part in it. */
function teardownAct(
  { own, self }: ActiveActiveView,
  known: ActiveActiveRecord | undefined,
  { spec }: ActiveActiveObject,
): ActiveActiveAct {
  // the object may not say yet that another participant has taken this one out
  const participates = [spec.participatingClusters, known?.participants ?? []].every((listed) =>
    listed.some(({ name }) => name === self),
  );
  const mine = known && own.some(({ guid, deleted }) => guid === known.guid && deleted !== true);
  return participates && self !== undefined && known !== undefined && mine === true
    ? { kind: "write-record", record: deletionBy(self, known) }
    : { kind: "release-object" };
}

function isDeletedElsewhere({ own, others }: ActiveActiveView, { guid }: ActiveActiveObject): boolean {
  return guid !== undefined && deletionOf([...own, ...others], guid) !== undefined;
}

/** What brings object and records together; undefined when they say the same. What is refused here does not reach others. */
function alignWithRecord(
  view: ActiveActiveView,
  known: ActiveActiveRecord | undefined,
  object: ActiveActiveObject,
  self: string,
): ActiveActiveAct | undefined {
  const { name, own, release, clusterPolicy, objections } = view;
  const isAcceptable = objections.length === 0;
  if (known === undefined) {
    const policies = { cluster: clusterPolicy, database: object.spec.globalConfigurations?.storeUpgradePolicy };
    const record = firstRecord({ ...object, name }, self, defaultStoreVersion(release, strictest(policies)));
    return isAcceptable ? { kind: "write-record", record: storedRecord(view, record) } : undefined;
  }
  const compared = compareSpec(object.spec, object.agreed, known, self);
  if (compared.kind === "edited") {
    return isAcceptable ? { kind: "write-record", record: storedRecord(view, compared.record) } : undefined;
  }
  const mine = liveRecord(own, name);
  if (mine === undefined || canonical(mine) !== canonical(known)) return { kind: "write-record", record: known };
  if (compared.kind === "outdated") return { ...compared, kind: "write-object", record: known };
  const agreed = agreementText(known);
  return object.agreed === agreed ? undefined : { kind: "remember", agreed };
}

function notParticipating({ name: database, self, object, cluster }: ActiveActiveView): Finding {
  const names = (object?.spec.participatingClusters ?? []).map(({ name }) => `"${name}"`).join(", ");
  return block(
    "NotParticipating",
    self === undefined
      ? `none of the participants (${names}) stands for the cluster ${cluster} of this namespace`
      : `the cluster of this namespace is "${self}", and takes part no more (participants: ${names}); its database stays`,
    self === undefined
      ? "make a StoreEnterpriseRemoteCluster whose recName and recNamespace are those of this cluster, and list it"
      : `delete this object, and the database here with it: ${deleteActiveActive(database)}; listed again, the cluster joins then with the data of the others`,
  );
}
