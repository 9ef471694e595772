import { buildFor } from "../../../core/planner/modules/builds.ts";
import { isSameModule } from "../../../core/planner/modules/module-name.ts";
import { chooseEngine } from "../../../core/releases/engines/engines.ts";
import type { EngineOfNode } from "../modules/engine-of-node.ts";
import type { Records } from "../records/records.ts";
import type { LoadedModules, ModuleStore } from "../modules/module-store.ts";

/**
 * Which shared objects an instance loads on this node: an installed build, else what comes with the engine. One that is not here yet is named too: an engine that cannot load it
 * ends at once and is started again until it can, which is better than one that serves without it.
 */
export function loadedModules(
  records: Pick<Records, "state">,
  store: Pick<ModuleStore, "pathOf">,
  { platforms, engines }: { readonly platforms: readonly string[]; readonly engines: readonly EngineOfNode[] },
): LoadedModules {
  return ({ modules = [] }, storeVersion) => {
    const brought = chooseEngine(storeVersion, engines)?.engine.modules ?? [];
    return modules.flatMap(({ name, args }) => {
      const own = brought.find((one) => isSameModule(one.name, name));
      if (own !== undefined && own.path === undefined) return []; // built in
      const build = buildFor(records.state()?.modules ?? [], { name, storeVersion, platforms });
      if (build === undefined && own?.path !== undefined) return [{ path: own.path, args }];
      return [{ path: store.pathOf(build?.uid ?? name), args: `${build?.args ?? ""} ${args}` }];
    });
  };
}
