/** Slots of a database from one to another, both of them among these. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
}
