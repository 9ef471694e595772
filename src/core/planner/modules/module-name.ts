/** Whether two names are of one module: engines, records and specs are compared without the case of letters. */
export function isSameModule(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
