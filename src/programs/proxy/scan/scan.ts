import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { SessionParts } from "../client/session-parts.ts";
import type { Counters } from "../limits/counters.ts";
import type { SlotTable } from "../../../core/slots/slot-table.ts";
import { slotsIn } from "../protocol/crossing.ts";
import { commandName } from "../protocol/arguments.ts";
import { isRefusal } from "../protocol/refusals.ts";
import { replies } from "../protocol/replies.ts";
import { COMMAND_TABLE } from "../protocol/table/table.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { cursorOf, FIRST, NEW, NO_EPOCH, shardIn, withPosition, withTag } from "./cursor.ts";
import type { ScanCursor, ScannedShard } from "./cursor.ts";
import type { ScanRoute, ScanSources } from "./sources.ts";
import { routeTo, type Routes } from "../upstream/only-route.ts";

/** The parts of a session that its scans use. */
export type ScanParts = Pick<SessionParts, "identity" | "output" | "life" | "turns" | "work"> & {
  readonly endpoint: {
    readonly clock: Clock;
    readonly log: Log;
    readonly routes: Routes<Pick<PrimaryView, "unavailable" | "refusal" | "holdMs">>;
    readonly counters: Pick<Counters, "pins" | "requests">;
    readonly mayPin: boolean;
    readonly table: SlotTable | undefined;
    /** Where the scans of each shard continue. */
    readonly scans: readonly ScanSources[];
  };
};

/**
 * Takes a SCAN, HSCAN, SSCAN or ZSCAN. It continues at the server where it began, also when that is not primary any more.
 * When that server is gone, it begins anew at the primary: the client sees keys twice, as every scan allows, and misses
 * none. False: earlier replies are missing. Undefined: it has no valid cursor, and the engine gives the error.
 */
export function takeScan(session: ScanParts, request: Buffer): boolean | undefined {
  const cursor = cursorOf(request);
  if (cursor === undefined) return undefined;
  if (session.work.hasPending) return false;
  const { counters, mayPin } = session.endpoint;
  if (!mayPin) return session.turns.answer(replies.tooManyPins);
  counters.pins++;
  session.turns.waitFor(
    answerOf(session, request, cursor).then((answer) => {
      counters.pins--;
      counters.requests++;
      session.output.reply(answer);
    }),
  );
  return true;
}

/** A scan as the engine gets it over a connection of its client; one that began at another engine begins anew, and the engine refuses a cursor that is none. */
export function placedScan(
  scans: Pick<ScanSources, "route">,
  engine: Pick<Upstream, "address">,
  request: Buffer,
): Buffer {
  const cursor = cursorOf(request);
  if (cursor === undefined) return request;
  const here = routeAt(scans, engine);
  const known = scans.route(cursor);
  return withPosition(request, here !== undefined && known?.source === here.source ? known.position : FIRST);
}

/** The tag of the cursors that come over such a connection. */
export function tagAt(scans: Pick<ScanSources, "route">, engine: Pick<Upstream, "address">): number {
  return routeAt(scans, engine)?.tag ?? NO_EPOCH;
}

/** The request with the engine's own cursor when it is a scan; any other request stays as it is. */
export function placedIfScan(
  scans: Pick<ScanSources, "route">,
  engine: Pick<Upstream, "address">,
  request: Buffer,
): Buffer {
  return SCANS.has(commandName(request)) ? placedScan(scans, engine, request) : request;
}

function routeAt(scans: Pick<ScanSources, "route">, { address }: Pick<Upstream, "address">): ScanRoute | undefined {
  const primary = scans.route(NEW);
  return primary?.source.upstream.isAt(address) === true ? primary : undefined;
}

/** Where a scan goes on, with which cursor of that shard. */
interface ScanPlace {
  readonly shard: number;
  readonly cursor: ScanCursor;
  /** Other shards follow; undefined when there is one, or all elements lie there. */
  readonly among: ScannedShard | undefined;
}

function placeOf({ table, routes, scans }: ScanParts["endpoint"], request: Buffer, cursor: ScanCursor): ScanPlace {
  // one of several shards that are no more begins anew
  if (table === undefined)
    return { shard: 0, cursor: cursor.tag === 0 && shardIn(cursor).shard > 0 ? NEW : cursor, among: undefined };
  const [slot] = slotsIn(commandName(request), request);
  if (slot !== undefined) return { shard: table[slot] ?? 0, cursor, among: undefined };
  const found = shardIn(cursor);
  // otherwise no proxy has given it out, or the shards were other ones
  const isValid = scans[found.shard]?.isOfTable(cursor) === true;
  const { shard, cursor: own } = isValid ? found : { shard: 0, cursor: NEW };
  return { shard, cursor: own, among: { shard, of: routes.length, nextTag: scans[0]?.beginningTag ?? 0 } };
}

async function answerOf(session: ScanParts, request: Buffer, cursor: ScanCursor): Promise<Buffer> {
  const { endpoint, identity } = session;
  let tried: ScanRoute["source"] | undefined;
  let since = performance.now();
  for (;;) {
    const { primary, route, among } = await placeNow(endpoint, request, cursor);
    if (session.life.ended || (route === undefined && primary.unavailable)) return primary.refusal;
    // each server has `holdMs` of its own, and is asked once more when they are over
    if (route?.source !== tried) since = performance.now();
    const isLate = performance.now() - since >= primary.holdMs;
    tried = route?.source;
    try {
      const answer = await route?.source.ask(withPosition(request, route.position), identity);
      if (route !== undefined && answer !== undefined && !isRefusal(answer)) return withTag(answer, route.tag, among);
    } catch (error) {
      endpoint.log.debug("a scan is sent again", { error });
    }
    if (isLate) return primary.refusal;
    await endpoint.clock.sleep(RETRY_MS);
  }
}

/** Where the scan goes on at the shards that serve now. */
async function placeNow(endpoint: ScanParts["endpoint"], request: Buffer, given: ScanCursor) {
  const { shard, among, cursor } = placeOf(endpoint, request, given);
  const { table } = endpoint;
  const scans = endpoint.scans[shard];
  if (scans === undefined) throw new Error(`no scan goes on at shard ${shard}`);
  await scans.named();
  // other shards may serve meanwhile, beside this one or instead of it
  if (scans !== endpoint.scans[shard] || table !== endpoint.table) return placeNow(endpoint, request, given);
  return { primary: routeTo(endpoint, shard), route: scans.route(cursor), among };
}

const RETRY_MS = 50;
const SCANS: ReadonlySet<string> = new Set(
  [...COMMAND_TABLE.values()].filter(({ commandClass }) => commandClass === "scan").map(({ name }) => name),
);
