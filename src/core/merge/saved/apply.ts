import type { EngineCommand } from "../state/engine-writes.ts";
import type { RacedKey } from "../operations/key-part.ts";
import type { CodedOperation } from "../operations/operation-codec.ts";
import type { LoggedEntry } from "./saved-site.ts";
import type { VersionVector } from "../operations/version-vector.ts";

/** A transaction for the engine of a site. Its mark comes back in the stream of the engine. */
export interface Apply {
  readonly mark: string;
  readonly commands: readonly EngineCommand[];
  /** What has to be logged in the same transaction; undefined of a repair. */
  readonly logged: LoggedEntry | undefined;
}

/** A transaction whose mark came back. */
export interface SettledTransaction {
  readonly operation: CodedOperation | undefined;
  /** For a summary: what the engine has applied with the transaction. */
  readonly received: VersionVector;
  /** What a client wrote before a transaction that may not know of it, while no other transaction writes the same. */
  readonly raced: readonly RacedKey[];
}
