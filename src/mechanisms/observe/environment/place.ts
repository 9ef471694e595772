/** Whose surroundings are read. */
export interface Place {
  readonly name: string;
  readonly namespace: string;
}
