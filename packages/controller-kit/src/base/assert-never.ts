/** Closes a switch: the compiler rejects a call that can still be reached, and the run stops if one is. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
