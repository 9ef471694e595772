import type { InstalledModule } from "../../../core/api/records.ts";
import { messageOf } from "../../../core/base/fault.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Members } from "../records/members.ts";
import type { Peers } from "../records/peers.ts";
import type { Records } from "../records/records.ts";
import { repeating, type Repeating } from "../repeating.ts";
import type { ModuleStore } from "./module-store.ts";

export interface ModuleSyncOptions {
  readonly node: number;
  readonly records: Records;
  readonly members: Members;
  readonly peers: Peers;
  readonly modules: ModuleStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told when this node has got one more. */
  readonly onArrival: () => void;
}

/** Fetches from the other nodes each installed module that this one lacks, and drops what is no longer installed. */
export function syncModules(options: ModuleSyncOptions): Repeating {
  const { records, modules } = options;
  return repeating(
    "modules",
    async () => {
      const state = records.state();
      if (state === undefined) return;
      const installed = state.modules ?? [];
      for (const module of installed.filter(({ uid }) => !modules.has(uid))) {
        await fetchFromAny(options, module);
        options.onArrival();
      }
      await modules.keepOnly(installed.map(({ uid }) => uid));
    },
    options,
  );
}

async function fetchFromAny(options: ModuleSyncOptions, module: InstalledModule): Promise<void> {
  const { node, members, peers, modules, log } = options;
  const others = members.list().filter(({ uid, report }) => uid !== node && report.modules.includes(module.uid));
  const why: string[] = [];
  for (const other of others) {
    try {
      await modules.put(module, await peers.module(other.uid, module.uid));
      log.info("a module has arrived", { module: module.name, version: module.version, from: other.uid });
      return;
    } catch (error) {
      why.push(`node ${other.uid}: ${messageOf(error)}`);
    }
  }
  const said = why.length === 0 ? "no other node has it" : why.join("; ");
  throw new Error(`module ${module.name} ${module.version} cannot be fetched: ${said}`);
}
