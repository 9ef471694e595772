import type { CopyFailure } from "./reshape-facts.ts";
import type { StoreVersion } from "../../api/records.ts";
import type { ReshapePlan } from "./reshape-plan.ts";
import { waitUnasked, type WaitStep } from "../findings/step.ts";
import type { DueRotation } from "./engine-rotation.ts";

/** The one thing the leader does next for a database; it observes again after each. */
export type LeaderAct =
  /** A switchover had begun: finish it or take it back, by asking its target. */
  | { readonly kind: "resume-switchover"; readonly shard: number }
  | { readonly kind: "fail-over"; readonly shard: number; readonly to: number }
  /** Allow one more start as primary of the instance that holds the only copy. */
  | { readonly kind: "relaunch"; readonly shard: number; readonly instance: number }
  /** The primary starts in an empty data directory: what it kept is gone, and that was agreed to or nothing was kept. */
  | { readonly kind: "start-empty"; readonly shard: number; readonly instance: number }
  /** Clients of a site are kept from its primary, which is about to begin without data, until it has that of the other sites. */
  | { readonly kind: "await-sites" }
  /** The record says what is gone, and the shard waits until a user agrees to its coming back without it. */
  | { readonly kind: "ask-consent"; readonly shard: number; readonly lacks: string }
  /** The primary of a shard in recovery serves again. */
  | { readonly kind: "recovered"; readonly shard: number }
  /** The engine of a new database ends again and again before it serves. */
  | { readonly kind: "creation-failed"; readonly reason: string }
  | {
      readonly kind: "add-replica";
      readonly shard: number;
      readonly node: number;
      readonly port: number;
      readonly storeVersion: StoreVersion;
    }
  | { readonly kind: "retire"; readonly shard: number; readonly instance: number }
  /** Compare the content of a replica with its primary's. */
  | { readonly kind: "verify"; readonly shard: number; readonly replica: number }
  | { readonly kind: "switch-over"; readonly shard: number; readonly to: number }
  /** End the primary's script that a move has waited for too long, if the script has not written. */
  | { readonly kind: "end-script"; readonly shard: number }
  /** Point a replica that follows another engine at the primary. */
  | { readonly kind: "reattach"; readonly shard: number; readonly replica: number }
  /** Forget a former password whose overlap has ended. */
  | { readonly kind: "end-overlap" }
  /** Give a password of the cluster to engines that know the passwords of clients alone. */
  | { readonly kind: "make-internal-password" }
  /** Let engines refuse the passwords of clients: each node and each engine knows the password of the cluster. */
  | { readonly kind: "close-engines" }
  /** Replace the password of the cluster at the engines, after the password of the management API was replaced. */
  | { readonly kind: "rotate-engine-password"; readonly due: DueRotation }
  /** New shards begin to get their keys, beside those that serve. */
  | { readonly kind: "begin-reshape"; readonly plan: ReshapePlan }
  /** The keys are copied anew, by another mover: what the new shards have got so far is worth nothing. */
  | { readonly kind: "begin-copy"; readonly why: string; readonly failed: CopyFailure }
  /** The new shards go, and those that serve stay. */
  | { readonly kind: "withdraw-reshape"; readonly why: string }
  /** Clients go to the new shards, which have all. */
  | { readonly kind: "switch-table" }
  /** A switch to the new shards had begun: it is taken back, and is tried again. */
  | { readonly kind: "resume-table" }
  /** The shards that served before go. */
  | { readonly kind: "retire-shards" }
  | { readonly kind: "finish-upgrade" }
  /** What was asked for is there: the database becomes active. */
  | { readonly kind: "activate" };

/** What one rule has to say of a shard. */
export type LeaderProposal = LeaderAct | WaitStep;

/** The proposal to wait; the record of the database says the sentence. */
export function waitBecause(evidence: string): WaitStep {
  return waitUnasked("DatabaseWaits", evidence);
}
