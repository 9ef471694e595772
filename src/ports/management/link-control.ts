import type { Formatted } from "../../core/api/format.ts";
import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import type { EngineLogin } from "../../core/api/engine-login.ts";
import type { SliceOfEngine } from "../../core/base/slot-range.ts";
import type { Address, EnginePlace } from "./proxy-control.ts";

/**
 * Another site of an Active-Active database, and how its links are reached. This file holds what an agent sends to its link over
 * the IPC channel of the child process, and what the link replies; the link ends when the channel closes.
 */
export interface LinkedSite {
  /** Number of the participant, from 1 to 63; never that of an earlier one. */
  readonly id: number;
  /** Name of the remote cluster that stands for it. */
  readonly name: string;
  readonly address: Address;
  /** The name that its certificates must have. */
  readonly serverName: string;
  /** The authorities that must have signed its certificates, PEM. */
  readonly authorities: string;
}

/** An Active-Active database, or a slice of one, as the link of one node serves it. */
export interface LinkedDatabase {
  /** Of the database, or of its slice: `namedSlices`. */
  readonly guid: string;
  /** Absent: all keys of the database. */
  readonly slice?: SliceOfEngine;
  readonly bdb: number;
  /** Number of the own site. */
  readonly site: number;
  /** The other ones. */
  readonly sites: readonly LinkedSite[];
  /** The primary, when it is on this node. */
  readonly primary?: EnginePlace;
  /** Folder on this node where the primary keeps its append-only file, if it has one; absent when it is on another node. */
  readonly appendOnlyFolder?: string;
  /** The link of the node that has the primary, when that is another one. */
  readonly relay?: Address;
  /** How the link logs in to the engine, tried in this order. Never logged. */
  readonly logins: readonly EngineLogin[];
  /** Replicas in sync that must have what the link sends to other sites. */
  readonly confirmedBy: number;
  /** Bytes of operations that are kept for a site which does not answer; after it, the site gets a summary. */
  readonly keptBytes: number;
  /** Clients are not let in before the link has got what the other sites hold. */
  readonly awaitsSites: boolean;
}

/** What a link shows to other links, and whom it trusts within its own cluster. */
export interface LinkCertificate {
  readonly certificate: string;
  /** Never logged. */
  readonly key: string;
  /** The authorities that sign the certificates of the own cluster, PEM. */
  readonly authorities: string;
  /** The name that certificates of the own cluster have. */
  readonly serverName: string;
}

export type LinkCommand =
  /** The whole of what the link serves; what is not named ends. Idempotent. */
  | {
      readonly op: "configure";
      readonly listen: Address;
      readonly certificate: LinkCertificate;
      /** What the link shows to engines that speak TLS; absent while the node has none. Never logged. */
      readonly engineCertificate?: EngineCertificate;
      readonly databases: readonly LinkedDatabase[];
    }
  | { readonly op: "status" };

/** `syncing`: connected, and operations of before the connection are missing, or one end has not captured yet what its clients did before. */
export type LinkState = "up" | "syncing" | "down";

/** How the operations of another site arrive here. */
export interface SiteLinkStatus {
  readonly site: number;
  readonly state: LinkState;
  /** ISO instant since which it is in this state. */
  readonly since: string;
  /** Why it is not up, a sentence without the name of the site; empty while it is. */
  readonly cause: string;
  /** Age of the newest operation of that site when it was applied here, in milliseconds; 0 before the first one. */
  readonly lagMs: number;
  /** For how long this site has gone without what the other one has written; absent until what was there at first is here. */
  readonly behindMs?: number;
  /** For how long the other site lacks what this one has written, by what the other one has said to have. */
  readonly unconfirmedMs?: number;
  /** Operations of this site that the other one has not said to have. */
  readonly unconfirmed: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Whether all keys are the same at both; absent while it has not tried to compare them. */
  readonly agreement?: SiteAgreement;
}

/** The result of the comparison of all keys with those of another site. */
export interface SiteAgreement {
  /** ISO instant of the last time that all keys were found to be the same; absent before it. */
  readonly agreedAt?: string;
  /** ISO instant of the last comparison, of all keys or of some that may differ. */
  readonly comparedAt?: string;
  /** Why they are not compared, a sentence; empty while they are. */
  readonly cause: string;
  /** Keys that were found to differ since the link began. */
  readonly found: number;
  /** How many of them still differ, as far as they were compared again; and some of these. */
  readonly differing: number;
  readonly differences: readonly DifferingKey[];
}

/** A key that two sites hold differently, although they have had the same operations. */
export interface DifferingKey {
  /** Its name, with escapes for bytes that cannot be shown, and cut when it is long. */
  readonly key: string;
  /** What each site holds, in a few words and without values. */
  readonly here: string;
  readonly there: string;
  /** ISO instant when it was found. */
  readonly since: string;
}

/** How the link serves a database whose primary is on its node. */
export interface LinkedDatabaseStatus {
  readonly guid: string;
  /** Why nothing is captured from the engine, a sentence; empty while all is. */
  readonly engine: string;
  /** What the other sites hold is here, and they wait for what this one writes. */
  readonly hasJoined: boolean;
  /** Keys of which more is known than what all sites agree on, and bytes of operations that are kept for other sites. */
  readonly knownKeys: number;
  readonly keptBytes: number;
  readonly sites: readonly SiteLinkStatus[];
}

export type LinkReply =
  | { readonly ok: true; readonly op: "configure" }
  | { readonly ok: true; readonly op: "status"; readonly databases: readonly LinkedDatabaseStatus[] }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface LinkRequestMessage {
  readonly id: number;
  readonly command: LinkCommand;
}

export interface LinkReplyMessage {
  readonly id: number;
  readonly reply: LinkReply;
}

export interface LinkReadyMessage extends Formatted {
  readonly ready: true;
}
