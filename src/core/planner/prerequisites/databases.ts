import { callApi } from "../../api/kubectl.ts";
import { compareVersionText } from "#kit/base/version";
import type { ClusterDatabase } from "../view/cluster-view.ts";
import { block } from "../findings/finding.ts";
import { defineCheck } from "./check.ts";

/** The line for one database; several are what `storectl recover` walks through. */
function upgradeAll(rec: string, old: readonly Pick<ClusterDatabase, "uid">[], version: string): string {
  const [only, ...others] = old;
  if (only === undefined || others.length > 0) return `storectl recover ${rec}`;
  return callApi(rec, "POST", `/v1/bdbs/${only.uid}/upgrade`, { body: { store_version: version } });
}

/** §9 (c), of every database, also of those without an object. */
export const databasesAreNewEnough = defineCheck({
  id: "IncompatibleDatabaseVersion",
  asks: "every database is at the minimum of the release",
  at: ["start"],
  needs: ["cluster"],
  find({ view: { name: rec, cluster }, step }) {
    const minimum = step?.to.minDatabase;
    if (step === undefined || !cluster.reachable || minimum === undefined) return undefined;
    const old = cluster.databases.filter(({ storeVersion }) => (compareVersionText(storeVersion, minimum) ?? 0) < 0);
    if (old.length === 0) return undefined;
    return block(
      "IncompatibleDatabaseVersion",
      `${step.to.operator} needs databases of version ${minimum} or later; ` +
        old.map(({ name, storeVersion }) => `"${name}" is ${storeVersion}`).join(", "),
      `upgrade each, then set spec.storeVersion of its REDB: ${upgradeAll(rec, old, minimum)}`,
    );
  },
});
