import { arch, availableParallelism, release, totalmem, type } from "node:os";
import { FORMAT } from "../../../core/api/format.ts";
import { carriedVersions } from "../../../core/releases/catalogue/find.ts";
import { chooseEngine, engineText } from "../../../core/releases/engines/engines.ts";
import type { EngineOfNode } from "../modules/engine-of-node.ts";
import type { AgentConfig } from "../runtime/config.ts";
import { NODE_CAPABILITIES } from "../members/node-report.ts";
import type { NodeReport } from "../members/node-report.ts";

/** The report of this node, without what changes while it runs. */
export function describeNode(
  config: AgentConfig,
  found: readonly EngineOfNode[],
  startedAt: Date,
): Omit<
  NodeReport,
  "acceptsClients" | "modules" | "setAside" | "missingRecords" | "fullVolume" | "container" | "volume"
> {
  return {
    format: FORMAT,
    address: config.address,
    softwareVersion: config.release.nodeTag,
    operatorVersion: config.release.operator,
    capabilities: [...NODE_CAPABILITIES],
    engines: enginesOf(config, found),
    ...(config.baseSystem === undefined ? {} : { baseSystem: config.baseSystem }),
    osName: `${type()} ${release()}`,
    architecture: arch(),
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    startedAt: startedAt.toISOString(),
  };
}

/** The versions that both the release carries and this machine has an engine for. */
function enginesOf(config: AgentConfig, found: readonly EngineOfNode[]): NodeReport["engines"] {
  return carriedVersions(config.release).flatMap((storeVersion) => {
    const chosen = chooseEngine(storeVersion, found);
    if (chosen === undefined) return [];
    const { engine, standIn } = chosen;
    const modules = engine.modules?.map(({ name, version }) => ({ name, version }));
    const { tls } = engine;
    return [{ storeVersion, engine: engineText(engine), standIn, tls, ...(modules === undefined ? {} : { modules }) }];
  });
}
