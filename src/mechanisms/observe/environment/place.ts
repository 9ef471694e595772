/** Whose surroundings are read. */
export interface ClusterName {
  readonly name: string;
  readonly namespace: string;
}
