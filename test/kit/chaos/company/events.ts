import type { Answer, Answered } from "../stories/story.ts";
import type { Happening } from "./tale.ts";

/** When it was under way, in milliseconds. */
type During = readonly [beginMs: number, endMs: number];
const MS_NS = 1e6;

/** A request of a member, on its first connection unless another one is named. */
export function asked(
  member: string,
  command: string,
  given: Answered | Answer,
  [begin, end]: During,
  connection = 1,
): Happening {
  const answer: Answer =
    given !== null && typeof given === "object" && "kind" in given ? given : { kind: "reply", reply: given };
  const during = { begin: begin * MS_NS, end: end * MS_NS };
  return { kind: "asked", ...whose(member, connection), command: command.split(" "), ...during, answer };
}

/** A message to a member. */
export function pushed(member: string, values: readonly Answered[], atMs: number, connection = 1): Happening {
  return { kind: "pushed", ...whose(member, connection), at: atMs * MS_NS, values };
}

/** The end of a connection. */
export function ended(member: string, atMs: number, connection = 1): Happening {
  return { kind: "ended", ...whose(member, connection), at: atMs * MS_NS };
}

/** The connection ended before the answer. */
export const NO_ANSWER: Answer = { kind: "none" };

function whose(member: string, connection: number): { readonly member: string; readonly connection: string } {
  return { member, connection: `${member}#${connection}` };
}
