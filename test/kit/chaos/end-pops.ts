import { connectEngine } from "../../../src/ports/resp/engine-client.ts";
import type { Scene } from "./scene.ts";

/** Ends what waits at the first database: an engine counts the time of a pop by its date, so one that waited when that was set back waits so much longer. */
export async function endPops({ cluster, port }: Scene): Promise<void> {
  const client = await connectEngine({ host: cluster.address(1), port, timeoutMs: 10_000 });
  await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  client.close();
}
