/** The limit of a container: the lowest that is stated anywhere, and never more than the machine has. */
export function containerLimit(stated: readonly number[], machineBytes: number): number {
  return Math.min(machineBytes, ...stated.filter((bytes) => bytes > 0));
}
