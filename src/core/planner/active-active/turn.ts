import { annotate } from "../../api/kubectl.ts";
import { UPGRADE_NOW_ANNOTATION } from "../../api/names.ts";
import type { Finding } from "../../api/parts.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { compareVersionText } from "#kit/base/version";
import { wait } from "../findings/finding.ts";
import { siteNumber } from "./numbers.ts";
import type { LinkFacts, SiteReplication } from "./replication.ts";

/** The database of a participant, as its cluster says. */
export interface SiteDatabase {
  readonly name: string;
  /** What it serves: the former version until an upgrade has ended. It only rises. */
  readonly version: string;
  /** It is a site, so that data crosses. */
  readonly isLinked: boolean;
}

/** What decides whether the database of this site may have its next version now. */
export interface TurnFacts {
  readonly record: ActiveActiveRecord;
  /** The remote cluster that stands for the own cluster. */
  readonly self: string;
  /** The databases of each participant that answers and has one. */
  readonly databases: readonly SiteDatabase[];
  /** What the own cluster says of its link; undefined while it does not answer. */
  readonly link: LinkFacts | undefined;
  /** The version that this site shall have without waiting for others; undefined when none was named. */
  readonly now: string | undefined;
}

/** Two sites that are further apart than this have not caught up, in milliseconds. */
const CAUGHT_UP_MS = 5_000;

/**
 * Why the database of this site does not get its next version yet. The sites have it one after the other: that with the lowest version
 * first, of equal ones that with the lowest number, and each when it and the others have what either has written. An older answer
 * of another site only shows a lower version, so that no two sites ever take the turn at once. A site that has no link takes no
 * turn, and none waits for it: its data is its own.
 */
export function turnFindings(facts: TurnFacts): readonly Finding[] {
  const { record, self, databases, now } = facts;
  const linked = databases.filter(({ isLinked }) => isLinked);
  const own = linked.find(({ name }) => name === self);
  if (own === undefined || now === record.version || hasVersion(own, record)) return [];
  const [first] = linked
    .filter((one) => one !== own && !hasVersion(one, record))
    .toSorted((a, b) => turnOrder(record, a, b));
  if (first !== undefined && turnOrder(record, first, own) < 0) {
    const what = `"${first.name}" serves ${first.version}, and upgrades before this site, which serves ${own.version}`;
    return [wait("OtherSiteFirst", what, `see what it waits for there; ${withoutWaiting(record)}`)];
  }
  const behind = apart(facts, linked);
  return behind.length === 0 ? [] : [wait("SitesApart", behind.join("; "), withoutWaiting(record))];
}

/** The linked sites that have not what this one has, or the other way round; a sentence for each. */
function apart({ self, link }: TurnFacts, linked: readonly SiteDatabase[]): readonly string[] {
  if (link === undefined) return ["the cluster of this site does not say how its link is"];
  if (link.cause !== "") return [`nothing is sent to other sites: ${link.cause}`];
  return linked
    .filter(({ name }) => name !== self)
    .map(({ name }) =>
      whyApart(
        name,
        link.sites.find((site) => site.name === name),
      ),
    )
    .filter((why) => why !== undefined);
}

function whyApart(name: string, site: SiteReplication | undefined): string | undefined {
  if (site === undefined) return `the link does not know "${name}" yet`;
  if (site.state !== "up") return `"${name}" is ${site.state}${site.cause === "" ? "" : `: ${site.cause}`}`;
  const { behindMs = Infinity, unconfirmedMs = Infinity } = site;
  if (behindMs > CAUGHT_UP_MS) return `this site has not caught up with "${name}"${by(behindMs)}`;
  return unconfirmedMs > CAUGHT_UP_MS ? `"${name}" has not caught up with this site${by(unconfirmedMs)}` : undefined;
}

function by(ms: number): string {
  return ms === Infinity ? "" : ` for ${Math.round(ms / 1_000)} s`;
}

function withoutWaiting({ name, version }: ActiveActiveRecord): string {
  return `to upgrade this site without waiting: ${annotate("reaadb", name, `${UPGRADE_NOW_ANNOTATION}=${version}`)}`;
}

function hasVersion({ version }: SiteDatabase, record: ActiveActiveRecord): boolean {
  return (compareVersionText(version, record.version) ?? 0) >= 0;
}

/** Negative when `a` has its turn before `b`; numbers and names never change. */
function turnOrder(record: ActiveActiveRecord, a: SiteDatabase, b: SiteDatabase): number {
  const number = ({ name }: SiteDatabase): number => siteNumber(record, name) ?? Number.MAX_SAFE_INTEGER;
  const byVersion = compareVersionText(a.version, b.version) ?? 0;
  if (byVersion !== 0) return byVersion;
  return number(a) - number(b) || (a.name < b.name ? -1 : 1);
}
