import { randomUUID } from "node:crypto";
import type { Clock } from "../../core/base/clock.ts";
import { Fault } from "../../core/base/fault.ts";
import type { Log } from "../../core/base/log.ts";
import { connectEngine, type EngineAddress, type EngineClient } from "../../ports/resp/engine-client.ts";
import { faults } from "../../ports/resp/faults.ts";
import { readReplicationStream, type StreamEvent } from "../../ports/resp/replication-stream.ts";
import { endEarlierLinks, nameLink } from "./earlier-links.ts";
import { openSite, type OpenedSite } from "./open-site.ts";
import { readSavedLog, type SavedSize } from "./saved-log.ts";

export interface EngineSiteOptions {
  /** Number of the site. */
  readonly id: number;
  /** All sites, this one included. */
  readonly sites: readonly number[];
  readonly engine: EngineAddress;
  readonly clock: Clock;
  readonly log: Log;
  /** Replicas in sync that must have what other sites learn. */
  readonly confirmedBy: () => number;
  readonly signal: AbortSignal;
}

/** A site at its engine, before anything of the stream is read. */
export interface BegunSite extends OpenedSite {
  readonly client: EngineClient;
  /** Tells the marks of this link from those that an earlier one left in the stream. */
  readonly life: string;
  readonly saved: SavedSize;
}

const TIMEOUT_MS = 10_000;

/** Connects, ends a link that was here before, reads what it has saved, and attaches to the stream where that ends. */
export async function beginSite(options: EngineSiteOptions): Promise<{
  readonly begin: BegunSite;
  readonly stream: AsyncGenerator<StreamEvent>;
  readonly confirming: EngineClient;
}> {
  const { engine, signal, log } = options;
  const connect = () => connectEngine({ ...engine, timeoutMs: TIMEOUT_MS, signal, bulk: "bytes" });
  const [client, confirming] = await Promise.all([connect(), connect()]);
  await endEarlierLinks(client);
  await Promise.all([nameLink(client), nameLink(confirming)]);
  const saved = await readSavedLog(client);
  const stream = readReplicationStream({ ...engine, timeoutMs: TIMEOUT_MS, signal, from: saved.place });
  const attached = await attachment(stream);
  const life = randomUUID();
  // what comes from now on is in the stream
  const isEmpty = (await client.call("DBSIZE")) === 0;
  const opened = openSite(options, saved, attached, { life, isEmpty });
  const { resumed } = attached;
  log.info("the primary is followed", { resumed, offset: opened.from.offset, operations: saved.operations.length });
  return { begin: { ...opened, client, life, saved: saved.size }, stream, confirming };
}

async function attachment(stream: AsyncGenerator<StreamEvent>): Promise<Extract<StreamEvent, { kind: "attached" }>> {
  const first = await stream.next();
  if (first.done === true || first.value.kind !== "attached")
    throw new Fault(faults.closed, "The engine has ended the connection before it sent its stream.");
  return first.value;
}
