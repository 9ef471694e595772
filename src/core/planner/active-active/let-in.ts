import type { ClusterStateRecord, DatabaseRecord } from "../../api/records.ts";
import { otherSites, unknownSites } from "./other-sites.ts";

/** What a link says of a site that it follows. */
export interface FollowedSite {
  /** Numbers of the other sites that it links. */
  readonly sites: readonly number[];
  readonly hasJoined: boolean;
}

/** Whether clients of a site that has awaited others are let in; `link`: undefined while none follows it. */
export function mayLetIn(
  state: Pick<ClusterStateRecord, "activeActives" | "remoteSites">,
  record: DatabaseRecord,
  link: FollowedSite | undefined,
): boolean {
  if (record.status === "recovery") return false; // what the link says may be about the engine that has ended
  const others = otherSites(state, record);
  if (others === undefined) return true; // it takes part no more
  if (link?.hasJoined !== true || unknownSites(state, record).length > 0) return false;
  return others.every(({ id }) => link.sites.includes(id));
}
