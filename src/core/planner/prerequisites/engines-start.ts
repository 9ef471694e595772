import { nodeLog } from "../../api/kubectl.ts";
import { clusterNames } from "../../api/names.ts";
import { failingEngines, type FailingEngine } from "../view/failing-engines.ts";
import { uidOf } from "../view/cluster-view.ts";
import { wait, type FindingOf } from "../findings/finding.ts";
import { defineCheck } from "./check.ts";

/**
 * An engine that ends after each start never catches up: a user has to read what it says. Engines on the touched node do not count: they are no
 * reason to leave that node as it is.
 */
export const enginesStart = defineCheck({
  id: "EngineFails",
  asks: "no engine ends again and again before it serves",
  at: ["start", "step"],
  needs: ["cluster"],
  find({ view, touching }) {
    const here = touching && uidOf(touching);
    const failing = failingEngines(view).filter(({ node }) => node !== here);
    return failing.length === 0 ? undefined : engineFails(view.name, failing);
  },
});

/** That engines of a cluster end again and again, with the last line of each and the way out. */
export function engineFails(cluster: string, failing: readonly FailingEngine[]): FindingOf<"EngineFails"> {
  const log = nodeLog(clusterNames.nodePod(cluster, failing[0]?.node ?? 1));
  return wait(
    "EngineFails",
    failing.map(({ text }) => text).join("; "),
    `mend what it says, and it starts again: upload the build of a module that it names (storectl modules upload), delete a library of functions that it does not take (FUNCTION DELETE at the endpoint), free what it lacks; its node: ${log}`,
  );
}
