import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import { originOf } from "../../../core/merge/operations/origin.ts";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import type { AskedSites } from "../../../mechanisms/site/begin-site.ts";
import type { OtherKeys } from "../../../mechanisms/site/state/other-keys.ts";
import type { LinkCertificate, LinkedDatabase, LinkedSite } from "../../../ports/management/link-control.ts";
import { faults } from "../faults.ts";
import { otherKeys, ownOperations } from "../transport/compared-frames.ts";
import { greet, type Greeted } from "../transport/greet.ts";

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

/** How long the other sites are asked before this one goes on without what they have, in milliseconds. */
const ASKED_MS = 2_000;
/** After a loss of power the network may be away for a while, too. The engine keeps its stream for the link meanwhile: it has room for seconds. */
const ASKED_AGAIN_MS = 5_000;
const PAUSE_MS = 200;

/** Asks all other sites what they have of this one, once or again and again: of those that say it within two seconds, or five. */
export async function askOthers(options: ComparingOptions, howOften: "once" | "again"): Promise<AskedSites> {
  const { clock, database } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const asks = howOften === "once" ? heldBy : heldAtLast;
  const said = Promise.allSettled(database.sites.map((site) => asks({ ...options, signal }, site)));
  // aborted: all have answered
  const late = clock.sleep(howOften === "once" ? ASKED_MS : ASKED_AGAIN_MS, signal).then(
    () => over.abort(),
    () => undefined,
  );
  const held = (await said).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  over.abort();
  await late;
  options.signal.throwIfAborted();
  const operations = held.flatMap((each) => each.operations);
  return { received: held.map((each) => each.received), operations, isComplete: held.length === database.sites.length };
}

async function heldAtLast(options: ComparingOptions, site: LinkedSite): ReturnType<typeof heldBy> {
  for (;;) {
    const [held] = await Promise.allSettled([heldBy(options, site)]);
    if (held.status === "fulfilled") return held.value;
    // it may be about to begin, as this one is
    await options.clock.sleep(PAUSE_MS, options.signal);
  }
}

async function heldBy(options: ComparingOptions, site: LinkedSite) {
  const greeted = await ask(options, site);
  const end = (): void => greeted.connection.destroy();
  options.signal.addEventListener("abort", end, { once: true });
  try {
    return { received: greeted.greeting.received, operations: await ownOperations(greeted) };
  } finally {
    options.signal.removeEventListener("abort", end);
    end();
  }
}

function ask({ database, own, signal }: ComparingOptions, site: LinkedSite): Promise<Greeted> {
  const introduction = {
    guid: database.guid,
    from: database.site,
    to: site.id,
    received: NOTHING,
    origin: originOf(database.site, 0),
    comparing: true,
  };
  return greet(site, own(), introduction, signal);
}
