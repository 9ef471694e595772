import { KnownScores } from "../../../src/core/merge/operations/known-scores.ts";
import { decodeOperation, type EncodedOperation } from "../../../src/core/merge/operations/operation-codec.ts";
import { decodeSaved, encodeSaved } from "../../../src/core/merge/saved/saved-site.ts";
import { Site } from "../../../src/core/merge/site.ts";
import { LostExpiries } from "../../../src/core/merge/state/lost-expiries.ts";
import { decodeRacedKeys, encodeRacedKeys } from "../../../src/core/merge/state/raced-keys.ts";
import { decodeLoggedSummary } from "../../../src/core/merge/summary/summary.ts";
import { decodeTransferredKey, transferredSite, transferWrites } from "../../../src/core/merge/transfer/transfer.ts";
import type { Place, Position, Transfer } from "./place.ts";

/** Another process takes the place of the one of the site, with what the engine has of it; the keys that it has to read or look at again. */
export function restart(place: Place): Pick<Position, "unread" | "suspects"> {
  const position = savedPosition(place);
  place.life += 1;
  place.isBeginning = false;
  place.site = restored(place);
  place.site.kept.confirm(place.site.seq);
  [place.at, place.work, place.unread, place.suspects] = [position?.at ?? 0, [], [], new Set()];
  place.captured = position?.captured ?? 0;
  place.lost = new LostExpiries(place.site.keys);
  place.scores = new KnownScores();
  place.catchUp = place.stream.length;
  return position ?? { unread: [], suspects: [] };
}

/** The site as another process of it begins, with what the engine has. */
export function restored(place: Pick<Place, "origin" | "sites" | "life" | "limits" | "stored">): Site {
  const { origin, sites, life, limits, stored } = place;
  const due = savedPosition(place)?.due;
  return Site.restored(
    { origin, sites, life: String(life), limits },
    {
      saved: stored.saved === undefined ? undefined : decodeSaved(stored.saved.bytes),
      log: stored.log.map(({ kind, bytes }) =>
        kind === "summary" ? { kind, ...decodeLoggedSummary(bytes) } : { kind, operation: decodeOperation(bytes) },
      ),
      due: due && decodeRacedKeys(encodeRacedKeys(due)),
    },
  );
}

/** Where another process of the site would go on. */
export function savedPosition({ stored }: Pick<Place, "stored">): Position | undefined {
  const { saved, log } = stored;
  return log.findLast((logged) => logged.kind === "captured")?.position ?? saved?.position;
}

/** The place has got all keys, and begins with them: `kept` is what the site that gave them keeps. */
export function beginTransferred(
  place: Place,
  { begin, origin, keys }: Transfer,
  kept: readonly EncodedOperation[],
): void {
  const decoded = keys.map((bytes) => decodeTransferredKey(bytes));
  for (const command of decoded.flatMap(transferWrites)) place.engine.run(command);
  const operations = kept.map(({ bytes }) => decodeOperation(bytes));
  const at = place.stream.length;
  const bytes = encodeSaved(transferredSite(begin, origin, decoded, operations));
  const noted = { unread: [], suspects: [], due: undefined, isUnderWay: false, isInFile: false, origin };
  place.stored.saved = { bytes, position: { at, captured: at, run: place.run, ...noted } };
  [place.transfer, place.state, place.origin] = [undefined, "joined", origin];
  restart(place);
}

export function positionOf({ at, origin, captured, unread, suspects, site, regained, run, catchUp }: Place): Position {
  return {
    at,
    origin,
    captured,
    unread: [...unread],
    suspects: [...suspects],
    due: site.due,
    run,
    isUnderWay: regained?.isUnderWay(site.seen) === true,
    isInFile: catchUp !== undefined,
  };
}
