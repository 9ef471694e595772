import { readAgentConfig } from "../programs/agent/runtime/config.ts";
import { startAgent, type AgentDeps } from "../programs/agent/agent.ts";
import { BACKUP_NODE_ARGS } from "../programs/backup/node-args.ts";
import { PROXY_NODE_ARGS } from "../programs/proxy/node-args.ts";
import { checkOpenFiles } from "../programs/agent/runtime/open-files.ts";
import { jsonLog } from "#kit/base/log";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import { systemClock } from "#kit/reconcile/system-clock";
import { reportAndExit } from "./exit.ts";
import { programPath } from "./program-path.ts";
import { USER_AGENT } from "../core/api/names.ts";

/** One node of a cluster: runs until SIGTERM or SIGINT, then leaves the node in good order and exits. */
export async function main(): Promise<void> {
  const config = readAgentConfig(process.env);
  checkOpenFiles();
  const log = jsonLog(
    (line) => process.stderr.write(line),
    () => systemClock.now(),
    { program: "agent", node: config.node },
  );
  let joined = false;
  const stopped = Promise.withResolvers<void>();
  const kube = connect(loadKubeConfig(process.env), { userAgent: USER_AGENT });
  const starting = startAgent({
    config,
    kube,
    ...childArgs(programPath()),
    env: process.env,
    clock: systemClock,
    log,
  });
  const stop = (signal: NodeJS.Signals): void => {
    log.info("asked to stop", { signal });
    // one that cannot join has nothing to leave
    void systemClock.sleep(JOIN_MS).then(() => {
      if (!joined) process.exit(1);
    });
    starting
      .then((agent) => agent.stop())
      .then(stopped.resolve)
      .catch(reportAndExit);
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  await starting;
  joined = true;
  await stopped.promise;
  await kube.close();
  process.exit(0);
}

/** The time that an agent has to stop while it still starts, in milliseconds. */
const JOIN_MS = 5_000;

/** Arguments for Node.js: the programs that an agent starts. */
function childArgs(program: string): Pick<AgentDeps, "proxyArgs" | "linkArgs" | "moverArgs" | "backupArgs"> {
  return {
    proxyArgs: [...PROXY_NODE_ARGS, program, "proxy"],
    linkArgs: [program, "link"],
    moverArgs: [program, "mover"],
    backupArgs: [...BACKUP_NODE_ARGS, program, "backup"],
  };
}
