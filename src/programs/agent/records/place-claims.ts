import { Fault } from "#kit/base/fault";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { newPlaces, sharedPlace } from "../../../core/records/shared-place.ts";
import { faults } from "../faults.ts";

/** Called with the record as it is and as it becomes, right before that is stored; throws AGENT_PLACE_TAKEN. */
export type Claim = (before: DatabaseRecord | undefined, after: DatabaseRecord) => void;

/**
 * Gives each place of a node to one database, although the leader decides about many at the same time and each decision rests on what was stored
 * before: what is being stored counts like what is stored.
 */
export class PlaceClaims {
  readonly #stored: () => readonly DatabaseRecord[];
  readonly #beingStored = new Set<DatabaseRecord>();

  constructor(stored: () => readonly DatabaseRecord[]) {
    this.#stored = stored;
  }

  /** Runs a write that claims what it is about to store; the claim ends with it. */
  async during<T>(write: (claim: Claim) => Promise<T>): Promise<T> {
    let claimed: DatabaseRecord | undefined;
    const end = (): void => {
      if (claimed !== undefined) this.#beingStored.delete(claimed);
    };
    try {
      return await write((before, after) => {
        end(); // of an attempt that another writer has outrun
        const places = newPlaces(before, after);
        if (places.length === 0) return;
        const shared = sharedPlace(after.uid, places, [...this.#stored(), ...this.#beingStored]);
        if (shared !== undefined) throw placeTaken(after, shared);
        this.#beingStored.add(after);
        claimed = after;
      });
    } finally {
      end();
    }
  }
}

function placeTaken({ name }: DatabaseRecord, { place, by }: NonNullable<ReturnType<typeof sharedPlace>>): Fault {
  return new Fault(
    faults.placeTaken,
    `"${name}" gets no engine at port ${place.port} of node ${place.node}: database ${by} has got this port meanwhile`,
  );
}
