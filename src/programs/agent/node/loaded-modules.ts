import type { Release } from "../../../core/releases/catalogue/release.ts";
import { buildFor } from "../../../core/planner/modules/builds.ts";
import { nodePlatforms } from "../modules/platforms.ts";
import type { Records } from "../records/records.ts";
import type { ModuleStore } from "../modules/module-store.ts";
import type { LoadedModules } from "./wanted.ts";

/**
 * Which shared objects an instance loads on this node. One that is not here yet is named too: an engine that cannot load it
 * ends at once and is started again until it can, which is better than one that serves without it.
 */
export function loadedModules(
  records: Pick<Records, "state">,
  store: Pick<ModuleStore, "pathOf">,
  release: Release,
): LoadedModules {
  const platforms = nodePlatforms(release);
  return ({ modules = [] }, storeVersion) =>
    modules.map(({ name, args }) => {
      const build = buildFor(records.state()?.modules ?? [], { name, storeVersion, platforms });
      return { path: store.pathOf(build?.uid ?? name), args: `${build?.args ?? ""} ${args}` };
    });
}
