import { arch, availableParallelism, release, totalmem, type } from "node:os";
import { FORMAT } from "../../../core/api/format.ts";
import { carriedVersions } from "../../../core/releases/catalogue/find.ts";
import { chooseEngine, engineText } from "../../../core/releases/engines/engines.ts";
import type { FoundEngine } from "../../../mechanisms/supervisor/engines.ts";
import type { AgentConfig } from "../runtime/config.ts";
import { NODE_CAPABILITIES } from "../members/node-report.ts";
import type { NodeReport } from "../members/node-report.ts";

/** The report of this node, without what changes while it runs. */
export function describeNode(
  config: AgentConfig,
  found: readonly FoundEngine[],
  startedAt: Date,
): Omit<NodeReport, "acceptsClients" | "modules"> {
  return {
    format: FORMAT,
    address: config.address,
    softwareVersion: config.release.nodeTag,
    operatorVersion: config.release.operator,
    capabilities: [...NODE_CAPABILITIES],
    engines: enginesOf(config, found),
    osName: `${type()} ${release()}`,
    architecture: arch(),
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    startedAt: startedAt.toISOString(),
  };
}

/** The versions that both the release carries and this machine has an engine for. */
function enginesOf(config: AgentConfig, found: readonly FoundEngine[]): NodeReport["engines"] {
  return carriedVersions(config.release).flatMap((storeVersion) => {
    const chosen = chooseEngine(storeVersion, found);
    return chosen === undefined ? [] : [{ storeVersion, engine: engineText(chosen.engine), standIn: chosen.standIn }];
  });
}
