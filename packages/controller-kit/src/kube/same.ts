import { isDeepStrictEqual } from "node:util";

/** Whether two objects are the same to a server, to which a member that is undefined does not exist. */
export function isSame(a: object, b: object): boolean {
  return isDeepStrictEqual(asSent(a), asSent(b));
}

function asSent(object: object): unknown {
  return JSON.parse(JSON.stringify(object));
}
