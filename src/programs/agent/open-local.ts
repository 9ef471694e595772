import { join } from "node:path";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { engineContainer } from "../../mechanisms/starter/engine-container.ts";
import { engineChildren, type EngineRunner } from "../../mechanisms/supervisor/engine-process.ts";
import { clearLeftFiles } from "../../mechanisms/supervisor/restored-data.ts";
import { superviseInstances } from "../../mechanisms/supervisor/instances.ts";
import type { Kube } from "#kit/kube/kube";
import type { AgentContext } from "./context.ts";
import { openNodeAccess } from "./credentials/node-access.ts";
import { openEngineTls } from "./credentials/engine-certificate.ts";
import { lookAtEngines } from "./modules/look-at-engines.ts";
import { openModuleStore } from "./modules/module-store.ts";
import { openKeptFiles } from "./node/kept-files.ts";
import { NodeBackups } from "./node/backups.ts";
import { NodeLink } from "./node/link.ts";
import { NodeMovers } from "./node/movers.ts";
import { NodeProxy, type NodeProxyOptions } from "./node/proxy.ts";
import { VolumeGuard } from "./node/volume-guard.ts";
import { childEnvironment } from "./runtime/child-environment.ts";
import type { ChangeSignal } from "./runtime/change-signal.ts";
import type { AgentConfig } from "./runtime/config.ts";
import { openDataFolder } from "./runtime/data-folder.ts";
import { requireUsableTls } from "./runtime/usable-tls.ts";
import { openMountedSecret } from "./runtime/mounted-secret.ts";

/** How the proxy of this node asks those of the others. */
export type ProxyQuestions = Pick<NodeProxyOptions, "askNodes">;

/** What an agent is started with. */
export interface AgentDeps {
  readonly config: AgentConfig;
  readonly kube: Kube;
  /** Arguments for this Node.js: the program that runs a proxy. */
  readonly proxyArgs: readonly string[];
  /** Arguments for this Node.js: the program that runs a link. */
  readonly linkArgs: readonly string[];
  /** Arguments for this Node.js: the program that runs a mover. */
  readonly moverArgs: readonly string[];
  /** Arguments for this Node.js: the program that takes a backup. */
  readonly backupArgs: readonly string[];
  /** Where engines are looked for, and what proxy, link and movers get of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What lies on this machine: mounted secrets, data folder, engines and proxy. */
export async function openLocal(
  { config, env, proxyArgs, linkArgs, moverArgs, backupArgs, clock, log }: AgentDeps,
  changes: ChangeSignal,
  asking: ProxyQuestions,
) {
  const { dataDir: data } = config;
  await openDataFolder(data);
  const tlsTools = { clock, log, check: requireUsableTls };
  const tls = await openMountedSecret(config.tlsDir, ["tls.crt", "tls.key", "ca.crt"], tlsTools);
  const access = await openNodeAccess(config, { clock, log });
  const engineTls = await openEngineTls(config, { clock, log });
  const foundEngines = await lookAtEngines(config, env, engineTls.tls.certificate, { clock, log });
  const { epochs, keptRecords } = await openKeptFiles(data, log);
  const modules = await openModuleStore(join(data, "modules"));
  const { engines, engineMemory, supervisor } = await openEngines(config, foundEngines, { clock, log });
  const ofChildren = childEnvironment(config.root, env);
  const proxy = new NodeProxy({
    node: config.node,
    workers: config.workers,
    args: proxyArgs,
    env: ofChildren,
    epochs,
    clock,
    log,
    ...asking,
    certificate: () => engineTls.tls.certificate,
    onReady: () => changes.notify(),
  });
  const link = new NodeLink({ args: linkArgs, env: ofChildren, clock, log, onReady: () => changes.notify() });
  const movers = new NodeMovers({ args: moverArgs, env: ofChildren, clock, log });
  const backups = new NodeBackups({ args: backupArgs, env: ofChildren, proofs: engines, supervisor, clock, log });
  const follow = (signal: AbortSignal) => engineTls.follow(() => changes.notify(), signal);
  const shown = { engineTls: engineTls.tls, followEngineTls: follow };
  const own = { supervisor, engineMemory, proxy, link, movers, volume: new VolumeGuard(), keptRecords };
  return { tls, ...shown, access, foundEngines, modules, backups, ...own };
}

/** The engines of the node; what an earlier agent has left of others, and of data that were to be restored, is gone. */
async function openEngines(
  config: AgentConfig,
  foundEngines: AgentContext["foundEngines"],
  tools: Pick<AgentDeps, "clock" | "log">,
) {
  const { dataDir: data } = config;
  const { runner, engineMemory } = await openRunner(config, tools);
  const engines = { data, engines: foundEngines, runner };
  await clearLeftFiles({ ...engines, ...tools });
  return { engines, engineMemory, supervisor: superviseInstances({ ...engines, ...tools }) };
}

/** What starts the engines: a starter in a container of their own, once it is there, or this process. */
async function openRunner(
  { sharedDir }: AgentConfig,
  tools: Pick<AgentDeps, "clock" | "log">,
): Promise<{ readonly runner: EngineRunner; readonly engineMemory: AgentContext["engineMemory"] }> {
  if (sharedDir === undefined) return { runner: engineChildren(tools.log), engineMemory: () => undefined };
  const container = await engineContainer(sharedDir, tools);
  tools.log.info("waiting for the container of the engines");
  await container.connected();
  return { runner: container, engineMemory: () => container.memory() };
}
