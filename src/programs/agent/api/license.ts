import type { LicenseTerms } from "../../../core/api/license.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { messageOf } from "../../../core/base/fault.ts";
import { openLicense, readLicense } from "../../../ports/management/license.ts";
import type { LicenseRecord } from "../../../ports/management/records.ts";
import { wantedInstances } from "../../../core/planner/database/facts.ts";
import { judgeLicense, trialTerms, type LicenseVerdict } from "../../../core/planner/license.ts";
import { dnsNameOf, type ClusterView } from "../records/cluster-view.ts";
import { refusals, refuse } from "./refusals.ts";

/** The licence in force, with its use: the installed one, or the trial. */
export function licenseOf(view: ClusterView): LicenseRecord & LicenseVerdict {
  const { license = "" } = view.records.state() ?? {};
  return recordOf(view, license, license === "" ? onTrial(view) : opened(view, license));
}

/**
 * Installs a licence, whatever state the cluster is in: a valid one is what clears a frozen upgrade (§7). One that is not
 * genuine, is for another cluster, is over, or allows less than is in use is refused, and the old one stays.
 */
export async function installLicense(view: ClusterView, license: string): Promise<LicenseRecord> {
  const { state, reason } = opened(view, license);
  if (state !== "Valid") throw refuse(refusals.badRequest, `license: ${reason}`, { field: "license" });
  await view.records.changeState((old) => (old.license === license ? old : { ...old, license }));
  return licenseOf(view);
}

/** Primaries and replicas as they are asked for: the surge of an upgrade or a move does not count. */
function shardsOf(record: Pick<DatabaseRecord, "replication" | "shards">): number {
  return record.shards.length * wantedInstances(record);
}

interface Judged extends LicenseVerdict {
  readonly terms: LicenseTerms;
}

function onTrial(view: ClusterView): Judged {
  const created = view.records.state()?.createdTime ?? view.clock.now().toISOString();
  const terms = trialTerms(dnsNameOf(view), created);
  return { terms, ...judge(view, terms) };
}

/** A text that no known authority has signed is Invalid for that reason; what it says of itself is shown all the same. */
function opened(view: ClusterView, license: string): Judged {
  let terms = onTrial(view).terms;
  try {
    terms = readLicense(license);
    return { terms, ...judge(view, openLicense(license, view.authorities.keys())) };
  } catch (error) {
    return { terms, state: "Invalid", reason: messageOf(error) };
  }
}

function judge(view: ClusterView, terms: LicenseTerms): LicenseVerdict {
  const clusterName = dnsNameOf(view);
  return judgeLicense(terms, { clusterName, now: view.clock.now(), shardsInUse: shardsInUse(view) });
}

function shardsInUse(view: ClusterView): number {
  return view.records.databases().reduce((sum, record) => sum + shardsOf(record), 0);
}

function recordOf(
  view: ClusterView,
  license: string,
  { terms, state, reason }: Judged,
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
    shards_usage: shardsInUse(view),
    features: terms.features,
  };
}
