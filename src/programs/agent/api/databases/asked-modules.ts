import type { DatabaseModule } from "../../../../core/api/records.ts";
import type { BdbCreate } from "../../../../ports/management/records.ts";

/** The modules of a body as a record has them. */
export function requestedModules(asked: NonNullable<BdbCreate["module_list"]>): readonly DatabaseModule[] {
  return asked.map(({ module_name: name, module_args: args = "" }) => ({ name, args }));
}
