import type { FoundModule } from "../../../mechanisms/supervisor/engine-modules.ts";
import type { FoundEngine } from "../../../mechanisms/supervisor/engines.ts";

/** An engine that this machine can start, with what it was asked: the modules that it brings, unknown of one that does not say. */
export interface EngineOfNode extends FoundEngine {
  readonly modules: readonly FoundModule[] | undefined;
  /** It speaks TLS with the certificate of the node. */
  readonly tls: boolean;
}
