import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import { originOf } from "../../../core/merge/operations/origin.ts";
import type { CodedOperation } from "../../../core/merge/operations/operation-codec.ts";
import { NOTHING, type VersionVector } from "../../../core/merge/operations/version-vector.ts";
import type { AskedSites, SitesQuestion } from "../../../mechanisms/site/begin-site.ts";
import type { OtherKeys } from "../../../mechanisms/site/state/other-keys.ts";
import type { LinkCertificate, LinkedDatabase, LinkedSite } from "../../../ports/management/link-control.ts";
import { faults } from "../faults.ts";
import { otherKeys, ownOperations } from "../transport/compared-frames.ts";
import { greet, type Greeted, type Introduction } from "../transport/greet.ts";

export interface ComparingOptions {
  readonly database: LinkedDatabase;
  readonly own: () => LinkCertificate;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Connects to a site that has captured all that it holds. When every other one has answered and none is such a site, the one with the
 * lowest number counts as one, and gets undefined; LINK_CANNOT_COMPARE until then.
 */
export async function connectWhole(options: ComparingOptions): Promise<OtherKeys | undefined> {
  const { database } = options;
  const asked = await Promise.allSettled(database.sites.map((site) => ask(options, site)));
  const answers = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const whole = answers.find(({ greeting }) => greeting.joining !== true && greeting.incomplete !== true);
  for (const answer of answers) if (answer !== whole) answer.connection.destroy();
  if (whole !== undefined) {
    options.signal.addEventListener("abort", () => whole.connection.destroy(), { once: true });
    return otherKeys(whole);
  }
  const missing = asked.flatMap((one, index) =>
    one.status === "rejected" ? [`${database.sites[index]?.name ?? ""}: ${messageOf(one.reason)}`] : [],
  );
  const isLowest = answers.every(({ greeting }) => greeting.joining === true || greeting.from > database.site);
  if (missing.length === 0 && isLowest) return undefined;
  throw new Fault(
    faults.cannotCompare,
    `No other site can be compared with this one. ${missing.length === 0 ? "Another one goes first." : missing.join(" ")}`,
  );
}

/** Connects to a site to compare keys with it; LINK_CANNOT_COMPARE while it cannot be. */
export async function connectTo(options: ComparingOptions, id: number): Promise<OtherKeys> {
  const site = options.database.sites.find((one) => one.id === id);
  if (site === undefined) throw new Fault(faults.cannotCompare, `Site ${id} is none of the database any more.`);
  const greeted = await ask(options, site);
  const why = whyNotCompared(greeted.greeting);
  if (why === "") return otherKeys(greeted);
  greeted.connection.destroy();
  throw new Fault(faults.cannotCompare, why);
}

function whyNotCompared({ digests, joining, incomplete }: Greeted["greeting"]): string {
  if (joining === true) return "It gets the data of the other sites.";
  if (incomplete === true) return "It still looks for what its clients did before its stream began.";
  return digests === true ? "" : "Its release gives no digests of keys.";
}

/** What another site has of this one, and what of that it keeps. */
interface Held {
  readonly received: VersionVector;
  readonly operations: readonly CodedOperation[];
}

/** How long the other sites are asked before this one goes on without what they have, in milliseconds. */
const ASKED_MS = 2_000;
/** After a loss of power the network may be away for a while, too. The engine keeps its stream for the link meanwhile: it has room for seconds. */
const ASKED_AGAIN_MS = 5_000;
const PAUSE_MS = 200;

/**
 * Asks all other sites what they have of this one, once or again and again: of those that say it within two seconds, or five. One whose engine still reads its
 * disk is waited for while the own engine has room: both may have lost their power at the same time.
 */
export async function askOthers(options: ComparingOptions, { howOften, hasRoom }: SitesQuestion): Promise<AskedSites> {
  const { sites } = options.database;
  const over = new AbortController();
  const asking = { ...options, signal: AbortSignal.any([options.signal, over.signal]) };
  const loading = new Set<number>();
  const ask = (site: LinkedSite) => (howOften === "once" ? heldBy(asking, site) : heldAtLast(asking, site, loading));
  const said = Promise.allSettled(sites.map(ask));
  const isAwaited = async (): Promise<boolean> => loading.size > 0 && (await hasRoom());
  const late = untilLate(asking, howOften === "once" ? ASKED_MS : ASKED_AGAIN_MS, isAwaited);
  const end = (): void => over.abort();
  const [answers] = await Promise.all([said.finally(end), late.finally(end)]);
  options.signal.throwIfAborted();
  const held = answers.flatMap((one) => (one.status === "fulfilled" && one.value !== "loading" ? [one.value] : []));
  const operations = held.flatMap((each) => each.operations);
  return { received: held.map((each) => each.received), operations, isComplete: held.length === sites.length };
}

/** Resolves after so long, and then once nothing is awaited any more; or when the signal comes. */
async function untilLate(
  { clock, signal }: Pick<ComparingOptions, "clock" | "signal">,
  ms: number,
  isAwaited: () => Promise<boolean>,
): Promise<void> {
  // aborted: all have answered, or the link ends
  await clock.sleep(ms, signal).catch(() => undefined);
  while (!signal.aborted && (await isAwaited())) await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
}

/** `loading` gets the site while its engine reads its disk. */
async function heldAtLast(options: ComparingOptions, site: LinkedSite, loading: Set<number>): Promise<Held> {
  for (;;) {
    const [held] = await Promise.allSettled([heldBy(options, site)]);
    if (held.status === "fulfilled" && held.value !== "loading") return held.value;
    if (held.status === "fulfilled") loading.add(site.id);
    else loading.delete(site.id);
    // it may be about to begin, as this one is
    await options.clock.sleep(PAUSE_MS, options.signal);
  }
}

/** What the site has of this one; `loading` while it cannot say it. */
async function heldBy(options: ComparingOptions, site: LinkedSite): Promise<Held | "loading"> {
  const greeted = await ask(options, site, { asksOwn: true });
  const end = (): void => greeted.connection.destroy();
  options.signal.addEventListener("abort", end, { once: true });
  try {
    if (greeted.greeting.loading === true) return "loading";
    return { received: greeted.greeting.received, operations: await ownOperations(greeted) };
  } finally {
    options.signal.removeEventListener("abort", end);
    end();
  }
}

function ask(
  { database, own, signal }: ComparingOptions,
  site: LinkedSite,
  more: Pick<Introduction, "asksOwn"> = {},
): Promise<Greeted> {
  const introduction = {
    guid: database.guid,
    from: database.site,
    to: site.id,
    received: NOTHING,
    origin: originOf(database.site, 0),
    comparing: true,
    ...more,
  };
  return greet(site, own(), introduction, signal);
}
