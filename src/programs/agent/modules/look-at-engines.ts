import { join } from "node:path";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { EngineCertificate } from "../../../core/api/engine-certificate.ts";
import { modulesOfEngine } from "../../../mechanisms/supervisor/engine-modules.ts";
import { enginesWithTls } from "../../../mechanisms/supervisor/engine-tls-files.ts";
import { discoverEngines } from "../../../mechanisms/supervisor/engines.ts";
import type { AgentConfig } from "../runtime/config.ts";
import type { EngineOfNode } from "./engine-of-node.ts";

interface EngineTools {
  readonly clock: Clock;
  readonly log: Log;
}

/** What the engines of this machine bring and can. */
export async function lookAtEngines(
  { dataDir }: Pick<AgentConfig, "dataDir">,
  env: Readonly<Record<string, string | undefined>>,
  certificate: EngineCertificate | undefined,
  tools: EngineTools,
): Promise<readonly EngineOfNode[]> {
  const found = await discoverEngines(env);
  const probes = join(dataDir, "probes");
  const withTls = certificate === undefined ? [] : await enginesWithTls(found, certificate, probes, tools);
  return Promise.all(
    found.map(async (engine) => ({
      ...engine,
      modules: await modulesOfEngine(engine, tools),
      tls: withTls.includes(engine),
    })),
  );
}
