import type { LicenseTerms } from "../../api/license.ts";
import type { LicenseState } from "../../api/states.ts";

const TRIAL_DAYS = 30;
const TRIAL_SHARDS = 4;

/** What a licence is measured against. */
export interface LicenseFacts {
  readonly clusterName: string;
  readonly now: Date;
  /** Primaries and replicas as they are asked for. */
  readonly shardsInUse: number;
}

/** What the terms of a licence are worth here and now; `reason` is empty when it is in force. */
export interface LicenseVerdict {
  readonly state: LicenseState;
  readonly reason: string;
}

/** The licence that every cluster begins with: 30 days from its creation, 4 shards. */
export function trialTerms(clusterName: string, createdTime: string): LicenseTerms {
  return {
    cluster_name: clusterName,
    owner: "",
    activation_date: wholeSeconds(Date.parse(createdTime)),
    expiration_date: wholeSeconds(Date.parse(createdTime) + TRIAL_DAYS * 86_400_000),
    shards_limit: TRIAL_SHARDS,
    features: ["trial"],
  };
}

/** Judges terms that are genuine: bound to the name of the cluster, to their dates and to the number of shards. */
export function evaluateLicense(terms: LicenseTerms, { clusterName, now, shardsInUse }: LicenseFacts): LicenseVerdict {
  if (terms.cluster_name !== clusterName) {
    return invalid(`the licence is for the cluster ${terms.cluster_name}, and this one is ${clusterName}`);
  }
  if (now.getTime() < Date.parse(terms.activation_date)) {
    return invalid(`the licence begins on ${terms.activation_date}`);
  }
  if (now.getTime() >= Date.parse(terms.expiration_date)) {
    return { state: "Expired", reason: `the licence of ${clusterName} expired on ${terms.expiration_date}` };
  }
  if (shardsInUse > terms.shards_limit) {
    return invalid(`the licence allows ${terms.shards_limit} shards and ${shardsInUse} are in use`);
  }
  return { state: "Valid", reason: "" };
}

function invalid(reason: string): LicenseVerdict {
  return { state: "Invalid", reason };
}

function wholeSeconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
}
