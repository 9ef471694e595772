import { Fault } from "#kit/base/fault";
import type { ModuleRecord } from "../../../ports/management/records.ts";
import { faults } from "../faults.ts";

/** The installed module that a user means by uid or name; CLI_NO_MODULE when none or several are meant. */
export function moduleOf(modules: readonly ModuleRecord[], wanted: string): ModuleRecord {
  const meant = modules.filter(
    ({ uid, module_name, display_name }) => uid === wanted || module_name === wanted || display_name === wanted,
  );
  const [first] = meant;
  const own = modules.filter(({ is_bundled }) => !is_bundled);
  if (first === undefined)
    throw new Fault(faults.noModule, `no module "${wanted}" is installed; there are: ${modulesText(own)}`);
  if (first.is_bundled) throw new Fault(faults.moduleBundled, `${first.module_name} comes with the engines`);
  if (meant.length > 1) throw new Fault(faults.noModule, `"${wanted}" are several builds: ${modulesText(meant)}`);
  return first;
}

function modulesText(modules: readonly ModuleRecord[]): string {
  return (
    modules.map(({ uid, module_name, semantic_version }) => `${module_name} ${semantic_version} (${uid})`).join(", ") ||
    "none"
  );
}
