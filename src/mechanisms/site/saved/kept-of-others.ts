import { originOf } from "../../../core/merge/operations/origin.ts";
import type { VersionVector } from "../../../core/merge/operations/version-vector.ts";
import { operationsOf } from "../../../core/merge/saved/regained-operations.ts";
import { decodeSaved } from "../../../core/merge/saved/saved-site.ts";
import type { Site } from "../../../core/merge/site.ts";
import { restoredSite, type OpenSiteOptions } from "./open-site.ts";
import type { SavedLog } from "./saved-log.ts";

/** What the engine of a site has kept of other sites, before the site has asked these what they have of it. All of it has lasted. */
export interface KeptOfOthers {
  /** What it has received, and who has begun to number operations. */
  numbered(): VersionVector;
  /** The operations of that site, encoded. */
  operationsOf(site: number): readonly Uint8Array[];
}

/** What was saved says it. It is read when somebody asks for it, which hardly ever happens. */
export function keptOfOthers(
  options: Pick<OpenSiteOptions, "id" | "sites" | "keptBytes">,
  saved: SavedLog,
): KeptOfOthers {
  let opened: Site | undefined;
  const site = (): Site => {
    const state = saved.checkpoint && decodeSaved(saved.checkpoint);
    opened ??= restoredSite({ ...options, life: "" }, saved.place?.origin ?? originOf(options.id, 0), {
      ...saved,
      state,
    });
    return opened;
  };
  return {
    numbered: () => site().participants.numbered(site().received),
    operationsOf: (other) => operationsOf(other, site().save()).map(({ bytes }) => bytes),
  };
}
