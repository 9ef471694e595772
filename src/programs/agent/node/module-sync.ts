import type { InstalledModule } from "../../../core/api/records.ts";
import { messageOf } from "#kit/base/fault";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { Members } from "../members/members.ts";
import type { Peers } from "../members/peers.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";
import { runPasses, type PassRunner } from "../runtime/pass-runner.ts";
import type { ModuleStore } from "../modules/module-store.ts";

/** What fetching modules works on. */
export interface ModuleSyncContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly records: Pick<Records, "state">;
  readonly members: Pick<Members, "list">;
  readonly peers: Pick<Peers, "module">;
  readonly modules: Pick<ModuleStore, "has" | "put" | "keepOnly">;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when this node has fetched one more. */
  readonly onArrival: () => void;
}

/** Fetches from the other nodes each installed module that this one lacks, and drops what is no longer installed, until `signal` aborts. */
export function syncModules(context: ModuleSyncContext, signal: AbortSignal): PassRunner {
  const { records, modules, clock, log } = context;
  return runPasses(
    "modules",
    async () => {
      const failures: string[] = [];
      for (const module of (records.state()?.modules ?? []).filter(({ uid }) => !modules.has(uid))) {
        const failure = await fetchFromAny(context, module);
        if (failure === undefined) context.onArrival();
        else failures.push(failure);
      }
      // read again: the list may have changed while modules were fetched
      const state = records.state();
      if (state !== undefined) modules.keepOnly((state.modules ?? []).map(({ uid }) => uid));
      if (failures.length > 0) throw new Error(failures.join("; "));
    },
    { clock, log, signal },
  );
}

/** Why no node gave it; undefined when one did. */
async function fetchFromAny(context: ModuleSyncContext, module: InstalledModule): Promise<string | undefined> {
  const { config, members, peers, modules, log } = context;
  const others = members.list().filter(({ uid, report }) => uid !== config.node && report.modules.includes(module.uid));
  const failures: string[] = [];
  for (const other of others) {
    try {
      await modules.put(module, await peers.module(other.uid, module.uid));
      log.info("module fetched", { module: module.name, version: module.version, from: other.uid });
      return undefined;
    } catch (error) {
      failures.push(`node ${other.uid}: ${messageOf(error)}`);
    }
  }
  const reason = failures.length === 0 ? "no other node has it" : failures.join("; ");
  return `module ${module.name} ${module.version} cannot be fetched: ${reason}`;
}
