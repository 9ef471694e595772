import { nodeLog } from "../../api/kubectl.ts";
import { clusterNames } from "../../api/names.ts";
import { crashingEngines, type FailingEngine } from "../view/failing-engines.ts";
import { warn, type FindingOf } from "../findings/finding.ts";
import { defineCheck } from "./check.ts";

/** Reports an engine that serves and ends again and again: it is in sync at some moments, so that no other check reports it. */
export const enginesStay = defineCheck({
  id: "EngineCrashes",
  asks: "no engine serves and then ends unasked again and again",
  at: ["edit"],
  needs: ["cluster"],
  find({ view }) {
    const crashing = crashingEngines(view);
    return crashing.length === 0 ? undefined : engineCrashes(view.name, crashing);
  },
});

/** That engines of a cluster serve and end again and again, with what ended each and the way out. */
export function engineCrashes(cluster: string, crashing: readonly FailingEngine[]): FindingOf<"EngineCrashes"> {
  const log = nodeLog(clusterNames.nodePod(cluster, crashing[0]?.node ?? 1));
  return warn(
    "EngineCrashes",
    crashing.map(({ text }) => text).join("; "),
    `find what its clients ask for when it ends, and mend what it says: an engine that SIGKILL ends lacks memory (lower spec.memorySize, or give nodes more), one that crashes at a command or a module needs another version; it starts again after up to 30 s; its node: ${log}`,
  );
}
