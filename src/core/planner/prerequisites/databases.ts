import { compareVersionText } from "../../base/version.ts";
import { block } from "../findings/finding.ts";
import type { Check } from "./check.ts";

/** §9 (c), of every database, also of those without an object. */
export const databasesAreNewEnough: Check = {
  id: "IncompatibleDatabaseVersion",
  asks: "every database is at the minimum of the release",
  at: ["start"],
  needs: ["cluster"],
  find({ view: { cluster }, step }) {
    const minimum = step?.to.minDatabase;
    if (step === undefined || !cluster.reachable || minimum === undefined) return undefined;
    const old = cluster.databases.filter(({ storeVersion }) => (compareVersionText(storeVersion, minimum) ?? 0) < 0);
    if (old.length === 0) return undefined;
    return block(
      "IncompatibleDatabaseVersion",
      `${step.to.operator} needs databases of version ${minimum} or later; ` +
        old.map(({ name, storeVersion }) => `"${name}" is ${storeVersion}`).join(", "),
      `upgrade each with POST /v1/bdbs/<uid>/upgrade {"store_version":"${minimum}"}, then set spec.storeVersion of its REDB`,
    );
  },
};
