import { LIMITS } from "../limits/limits.ts";
import { isRefusal } from "../protocol/refusals.ts";
import { replies } from "../protocol/replies.ts";
import { cursorOf, FIRST, withPosition, withTag } from "./cursor.ts";
import type { ScanCursor } from "./cursor.ts";
import type { Session } from "../session/session.ts";

/**
 * Takes a SCAN, HSCAN, SSCAN or ZSCAN: it goes on at the server where it began, which may have been left meanwhile. When that
 * one is gone, it begins anew at the primary: the client sees keys twice, as every scan allows, and misses none.
 * False: replies before it are awaited. Undefined: it is no proper scan, the engine says so.
 */
export function takeScan(session: Session, request: Buffer): boolean | undefined {
  const cursor = cursorOf(request);
  if (cursor === undefined) return undefined;
  if (session.owed) return false;
  const { counters } = session.host;
  if (counters.pins >= LIMITS.pins) return session.local(replies.tooManyPins);
  counters.pins++;
  session.waiting = true;
  void answerOf(session, request, cursor).then((answer) => {
    counters.pins--;
    session.waiting = false;
    session.host.counters.requests++;
    session.deliver(answer);
    session.settled();
    session.pump();
  });
  return true;
}

/** A scan inside a transaction is executed by the primary; it begins anew there if it began elsewhere. */
export function scanHere(session: Session, request: Buffer): Buffer {
  const cursor = cursorOf(request);
  if (cursor === undefined || cursor.tag === 0) return request;
  const { scans } = session.host;
  const route = scans.route(cursor);
  return withPosition(request, route !== undefined && scans.isPrimary(route.source) ? route.position : FIRST);
}

async function answerOf(session: Session, request: Buffer, cursor: ScanCursor): Promise<Buffer> {
  const { host, identity } = session;
  let tried = host.scans.route(cursor)?.source;
  let since = performance.now();
  while (session.state !== "closed") {
    const route = host.scans.route(cursor);
    if (route === undefined && host.givenUp) break;
    // the time that a server was given before it was held for gone is not the next one's
    if (route?.source !== tried) since = performance.now();
    else if (performance.now() - since >= host.holdMs) break;
    tried = route?.source;
    try {
      const answer = await route?.source.ask(withPosition(request, route.position), identity);
      if (route !== undefined && answer !== undefined && !isRefusal(answer)) return withTag(answer, route.tag);
    } catch (error) {
      host.log.debug("a scan is asked for again", { error });
    }
    await host.clock.sleep(RETRY_MS);
  }
  return replies.noPrimary;
}

const RETRY_MS = 50;
