import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { textOf } from "../../../ports/resp/reply.ts";

/** The name of the connections by which a link writes. */
const LINK_NAME = "site-link";

/** Names the connection as one of a link that writes; `suffix`: what tells links from each other that write beside each other. */
export async function nameLink(client: EngineClient, suffix: string): Promise<void> {
  await client.call("CLIENT", "SETNAME", `${LINK_NAME}${suffix}`);
}

/** Ends the connections of a link of that suffix that was here before: only one may write, and what it has written is then known. */
export async function endEarlierLinks(client: EngineClient, suffix: string): Promise<void> {
  const own = Number(await client.call("CLIENT", "ID"));
  const listed = textOf(await client.call("CLIENT", "LIST", "TYPE", "normal"));
  for (const id of linkConnections(listed, `${LINK_NAME}${suffix}`)) {
    // 0: it has ended meanwhile
    if (id !== own) await client.call("CLIENT", "KILL", "ID", id);
  }
}

function linkConnections(list: string, linkName: string): readonly number[] {
  const ofLinks = list.split("\n").filter((line) => line.includes(` name=${linkName} `));
  return ofLinks.flatMap((line) => {
    const id = /^id=(\d+) /.exec(line)?.[1];
    return id === undefined ? [] : [Number(id)];
  });
}
