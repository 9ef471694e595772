import type { Arg } from "../../../src/ports/resp/encode.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import { plain, type RawClient } from "../engines/raw-client.ts";

/** What a new client of a database gets that is emptied first; a request is its words, or a text of them without others' spaces. */
export async function repliesTo(
  client: RawClient,
  requests: readonly (string | readonly Arg[])[],
  isPipeline: boolean,
): Promise<readonly (Reply | undefined)[]> {
  await client.ask("FLUSHALL");
  const found = [];
  for (const request of requests) {
    client.send(...(typeof request === "string" ? request.split(" ") : request));
    if (!isPipeline) found.push(plainest(await client.read()));
  }
  if (isPipeline) for (const reply of await client.readMany(requests.length)) found.push(plainest(reply));
  client.close();
  return found;
}

function plainest(reply: Reply | undefined): Reply | undefined {
  return Array.isArray(reply) ? reply.map((one: Reply) => plain(one) ?? null) : plain(reply);
}
