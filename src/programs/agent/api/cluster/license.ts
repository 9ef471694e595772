import { askedShards } from "../../../../core/api/every-shard.ts";
import type { LicenseTerms } from "../../../../core/api/license.ts";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { messageOf } from "#kit/base/fault";
import { openLicense, readLicense } from "../../../../ports/management/license.ts";
import type { LicenseRecord } from "../../../../ports/management/records.ts";
import { desiredInstances } from "../../../../core/planner/database/facts.ts";
import { evaluateLicense, trialTerms, type LicenseVerdict } from "../../../../core/planner/license/evaluate.ts";
import type { Clock } from "#kit/base/clock";
import type { LicenseAuthorities } from "../../credentials/license-authorities.ts";
import type { Records } from "../../records/records.ts";
import { clusterDnsName } from "../../runtime/config.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What a licence is validated against. */
export interface LicenseContext {
  readonly config: Pick<AgentConfig, "cluster" | "namespace">;
  readonly records: Pick<Records, "state" | "databases" | "changeState">;
  readonly authorities: Pick<LicenseAuthorities, "keys">;
  readonly clock: Clock;
}

/** The licence in force, with its use: the installed one, or the trial. */
export function licenseOf(context: LicenseContext): LicenseRecord & LicenseVerdict {
  const { license = "" } = context.records.state() ?? {};
  return recordOf(context, license, license === "" ? onTrial(context) : evaluateText(context, license));
}

/**
 * Installs a licence, whatever state the cluster is in: a valid one is what clears a frozen upgrade (§7). One that is not
 * genuine, is for another cluster, is over, or allows less than is in use is refused, and the old one stays.
 */
export async function storeLicense(context: LicenseContext, license: string): Promise<LicenseRecord> {
  const { state, reason } = evaluateText(context, license);
  if (state !== "Valid") throw refuse(refusals.badRequest, `license: ${reason}`, { field: "license" });
  await context.records.changeState((old) => (old.license === license ? old : { ...old, license }));
  return licenseOf(context);
}

/** Primaries and replicas as they are asked for: the surge of an upgrade or a move does not count, and of two numbers of shards the higher one does. */
function shardsOf(record: DatabaseRecord): number {
  return Math.max(record.shards.length, askedShards(record)) * desiredInstances(record);
}

interface ValidatedLicense extends LicenseVerdict {
  readonly terms: LicenseTerms;
}

function onTrial(context: LicenseContext): ValidatedLicense {
  const created = context.records.state()?.createdTime ?? context.clock.now().toISOString();
  const terms = trialTerms(clusterDnsName(context.config), created);
  return { terms, ...evaluateTerms(context, terms) };
}

/** A licence that no known authority has signed is Invalid; its terms are shown nevertheless. */
function evaluateText(context: LicenseContext, license: string): ValidatedLicense {
  let terms = onTrial(context).terms;
  try {
    terms = readLicense(license);
    return { terms, ...evaluateTerms(context, openLicense(license, context.authorities.keys())) };
  } catch (error) {
    return { terms, state: "Invalid", reason: messageOf(error) };
  }
}

function evaluateTerms(context: LicenseContext, terms: LicenseTerms): LicenseVerdict {
  const clusterName = clusterDnsName(context.config);
  return evaluateLicense(terms, { clusterName, now: context.clock.now(), shardsInUse: shardsInUse(context) });
}

function shardsInUse(context: LicenseContext): number {
  return context.records.databases().reduce((sum, record) => sum + shardsOf(record), 0);
}

function recordOf(
  context: LicenseContext,
  license: string,
  { terms, state, reason }: ValidatedLicense,
): LicenseRecord & LicenseVerdict {
  return {
    license,
    type: license === "" ? "trial" : "paid",
    state,
    reason,
    cluster_name: terms.cluster_name,
    owner: terms.owner,
    expired: state === "Expired",
    activation_date: terms.activation_date,
    expiration_date: terms.expiration_date,
    shards_limit: terms.shards_limit,
    shards_usage: shardsInUse(context),
    features: terms.features,
  };
}
