import { Fault } from "../../core/base/fault.ts";
import { connectEngine, type EngineAddress, type EngineClient } from "../../ports/resp/engine-client.ts";
import { faults } from "../../ports/resp/faults.ts";
import { readReplicationStream, type StreamEvent, type StreamPosition } from "../../ports/resp/replication-stream.ts";
import { endEarlierLinks, nameLink } from "./earlier-links.ts";

/** The engine of a site, until the signal. */
export interface SiteEngine {
  readonly engine: EngineAddress;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;

/** A connection by which a link writes, after those of a link that was here before have ended. */
export async function connectSite(options: SiteEngine): Promise<EngineClient> {
  const client = await connectBeside(options);
  await endEarlierLinks(client);
  return client;
}

/** One more connection by which the link writes. */
export async function connectBeside({ engine, signal }: SiteEngine): Promise<EngineClient> {
  const client = await connectEngine({ ...engine, timeoutMs: TIMEOUT_MS, signal, bulk: "bytes" });
  await nameLink(client);
  return client;
}

/** The stream of the engine from that place on, or from now on, once it is there. */
export async function attachStream({ engine, signal }: SiteEngine, from: StreamPosition | undefined) {
  const stream = readReplicationStream({ ...engine, timeoutMs: TIMEOUT_MS, signal, from });
  return { stream, attached: await attachment(stream) };
}

async function attachment(stream: AsyncGenerator<StreamEvent>): Promise<Extract<StreamEvent, { kind: "attached" }>> {
  const first = await stream.next();
  if (first.done === true || first.value.kind !== "attached")
    throw new Fault(faults.closed, "The engine has ended the connection before it sent its stream.");
  return first.value;
}
