import { originOf } from "../../../core/merge/operations/origin.ts";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import type { KeptOfOthers } from "../../../mechanisms/site/saved/kept-of-others.ts";
import type { LinkedDatabase } from "../../../ports/management/link-control.ts";
import { answerOwn } from "../transport/compared-frames.ts";
import { answerGreeting } from "../transport/greet.ts";
import { commonFormat, encodeGreeting } from "../transport/messages.ts";
import type { Visitor } from "../transport/listener.ts";

/** How far a link is that has not begun: what its engine has kept of the other sites, once that has read its disk. */
export type NotBegun = KeptOfOthers | "loading";

/**
 * Answers a site that begins as well, and asks for its own operations: sites that have lost their power at the same time would else wait for each other. What
 * is answered has lasted on the disk here, and nothing of that site comes after it: this one has no connections.
 */
export async function answerWhileBeginning(
  visitor: Visitor,
  { guid, site }: LinkedDatabase,
  beginning: NotBegun,
): Promise<void> {
  const { connection, greeting } = visitor;
  const introduction = { guid, from: site, to: greeting.from, origin: originOf(site, 0) };
  if (beginning === "loading") {
    const formats = [commonFormat(greeting)];
    connection.end(encodeGreeting({ ...introduction, formats, received: NOTHING, loading: true }));
    return;
  }
  await answerGreeting(visitor, { ...introduction, received: beginning.numbered() });
  await answerOwn(connection, () => beginning.operationsOf(greeting.from));
}
