/** Slots of a database from one to another, both of them among these. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
}

/** A slice of an Active-Active database at an engine: the sites merge its keys on their own. */
export interface SliceOfEngine {
  readonly slots: SlotRange;
  /** How many slices the engine has. */
  readonly ofEngine: number;
}
