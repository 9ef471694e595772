import { explainField, patchLicense, writeLicenseSecret } from "../../api/kubectl.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { block, warn } from "../findings/finding.ts";
import { defineCheck } from "./check.ts";

/** §3, §7: an invalid licence fails the upgrade. */
export const licenseIsValid = defineCheck({
  id: "LicenseInvalid",
  asks: "the licence is in force",
  at: ["start"],
  needs: ["cluster"],
  find({ view, step }) {
    const { cluster } = view;
    if (!cluster.reachable || cluster.license.state === "Valid") return undefined;
    // what serves goes on, and a user is to know before the next change of a database is refused
    if (step === undefined)
      return warn("LicenseInvalid", `${cluster.license.reason}; databases take no changes`, giveLicense(view));
    return block(
      "LicenseInvalid",
      cluster.license.reason,
      `install a valid licence, and the upgrade continues: ${giveLicense(view)}`,
    );
  },
});

/** What a user does to give a cluster the licence of a file. */
export function giveLicense({ name, spec }: Pick<ClusterView, "name" | "spec">): string {
  const { licenseSecretName: secret } = spec;
  const written = secret === undefined ? patchLicense(name, FILE) : writeLicenseSecret(secret, FILE);
  return `storectl recover ${name} --license ${FILE}; or without storectl: ${written}`;
}

/** What remedies call the file with a licence. */
const FILE = "license.txt";

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
/** A node may take this long to be replaced; an hour is added for the unforeseen. */
const NODE_MS = 10 * MINUTE_MS;
const MARGIN_MS = 60 * MINUTE_MS;

/** A licence that ends in mid-roll stops it there. */
export const licenseOutlastsUpgrade = defineCheck({
  id: "LicenseEndsSoon",
  asks: "the licence lasts longer than the upgrade",
  at: ["plan"],
  ofUpgrades: true,
  needs: ["cluster", "now"],
  find({ view: { cluster, spec }, environment: { now } }) {
    if (!cluster.reachable || now?.read !== true || cluster.license.state !== "Valid") return undefined;
    const end = cluster.license.expirationDate;
    const left = Date.parse(end) - Date.parse(now.value);
    if (left > WEEK_MS) return undefined;
    const evidence = `the licence ends on ${end}`;
    const remedy = `renew it before the upgrade begins: ${explainField("rec.spec.licenseSecretName")}`;
    return left < spec.nodes * NODE_MS + MARGIN_MS
      ? block("LicenseEndsSoon", `${evidence}, before ${spec.nodes} nodes are sure to be replaced`, remedy)
      : warn("LicenseEndsSoon", evidence, remedy);
  },
});
