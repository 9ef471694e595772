import type { EnginePlace, OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { Counters } from "../limits/counters.ts";
import type { Subscriber } from "../pinned/mirror-subscribers.ts";
import type { Requirement } from "../upstream/requirement.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { PrimaryContext } from "./current-primary.ts";

/** A session, as a change of primary sees it. */
export interface SwitchoverClient {
  readonly identity: ClientIdentity;
  readonly work: {
    /** A request of the client is at the primary of that shard; one that blocks does not count, nor one that a move carries over. */
    isBusyAt(route: PrimaryView): boolean;
    /** The oldest such request on a connection of its own. */
    outstandingAt(route: PrimaryView): OutstandingRequest | undefined;
    /** Called while a move of that primary waits: cuts a client whose request a move has waited for in vain, and reads on for a client that reads slowly. */
    cutOverdueAt(route: PrimaryView): void;
  };
  /** Its connections of its own. */
  readonly pinned: {
    allAt(route: PrimaryView): readonly { readonly subscriber: Subscriber }[];
  };
  readonly turns: {
    /** This shard has another primary, its primary can be reached again, or is unavailable. */
    upstreamChanged(route: PrimaryView): void;
  };
}

export interface SwitchoverContext extends PrimaryContext {
  readonly bdb: number;
  readonly counters: Pick<Counters, "holdsExpired" | "holds" | "outages" | "changes">;
  readonly scans: {
    setPrimary(epoch: number, address: EnginePlace | undefined, requirement: Requirement): void;
    close(): void;
  };
  readonly clients: ReadonlySet<SwitchoverClient>;
  /** Asks the other proxies for the scripts that they know: false when one of them did not answer. It does not reject. */
  readonly gatherScripts: () => Promise<boolean>;
  /** The database has other shards. */
  readonly hasOtherShards: boolean;
}
