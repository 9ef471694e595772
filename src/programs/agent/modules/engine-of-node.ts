import type { FoundModule } from "../../../mechanisms/supervisor/engine-modules.ts";
import type { FoundEngine } from "../../../mechanisms/supervisor/engines.ts";

/** An engine that this machine can start, with the modules that it brings; those of one that does not say are unknown. */
export interface EngineOfNode extends FoundEngine {
  readonly modules: readonly FoundModule[] | undefined;
}
