import { randomUUID } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { EngineCommand } from "../../../core/merge/state/engine-writes.ts";
import { decodeOperation, type CodedOperation } from "../../../core/merge/operations/operation-codec.ts";
import { requireNear } from "../../../core/merge/operations/near-time.ts";
import { incarnationOf, requireOwn } from "../../../core/merge/operations/origin.ts";
import { encodeSaved } from "../../../core/merge/saved/saved-site.ts";
import {
  decodeTransferBegin,
  decodeTransferredKey,
  transferredSite,
  transferWrites,
  type TransferredKey,
} from "../../../core/merge/transfer/transfer.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { faults as respFaults } from "../../../ports/resp/faults.ts";
import type { StreamPosition } from "../../../ports/resp/replica-handshake.ts";
import type { StreamCommand } from "../../../ports/resp/replication-stream.ts";
import { runOf } from "../operations/engine-run.ts";
import { attachStream, connectSite, type SiteEngine } from "../operations/connect-site.ts";
import { faults } from "../faults.ts";
import { linkTransaction } from "../saved/marks.ts";
import { ALL_KEYS, type KeptKeys, type SiteSlice } from "../saved/slice.ts";
import { scanKeys } from "../state/scan-keys.ts";
import { FIRST_PLACE, type Place } from "../saved/place.ts";
import { readSavedLog, saveState } from "../saved/saved-log.ts";
import { StreamUnits } from "../operations/stream-units.ts";
import { executedAll, readAt, type TransactionContext } from "../saved/transaction.ts";
import type { Transfer } from "./transfer.ts";

export interface TakeOptions extends SiteEngine {
  readonly clock: Clock;
}

/** Bytes of keys that are written at once. */
const AT_ONCE = 1_048_576;

/** True when a link has saved in the engine how the site goes on there, with data: a site that has lost all is begun anew. */
export async function isBegun(options: SiteEngine): Promise<boolean> {
  const client = await connectSite(options);
  try {
    const { place } = await readSavedLog(client, options.slice.kept);
    if (place === undefined) return false;
    return place.transferred || (await countKeys(client, options.slice)) > 0;
  } finally {
    client.close();
  }
}

/**
 * Fills an engine that has nothing, or a part of an earlier transfer, with all that another site gives, and saves how the site goes on there
 * under `origin`; SITE_NOT_EMPTY when the engine holds something else.
 */
export async function takeAll(options: TakeOptions, origin: number, { begin, parts }: Transfer): Promise<void> {
  const given = decodeTransferBegin(begin);
  requireNear(given.clock, options.clock.now().getTime());
  requireOwn({ origin, seq: 0 }, given.received);
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const client = await connectSite({ ...options, signal });
  const { kept } = options.slice;
  try {
    const context = { client, slice: options.slice, clock: options.clock, signal };
    await empty(context, options.slice);
    const stream = await attachStream({ ...options, signal }, undefined);
    const mark = `taken:${randomUUID()}`;
    const reached = placeOf(mark, kept, stream.commands);
    reached.catch(() => undefined); // it is awaited when all is written
    const { keys, operations } = await takeParts(context, parts);
    await readAt(context, mark, []);
    const { replicationId, offset, database } = await reached;
    const done = { announced: true, announcedKnown: true, transferred: true, isFirst: incarnationOf(origin) === 0 };
    const engine = await runOf(client);
    const place: Place = { origin, engine, replicationId, offset, database, ...FIRST_PLACE, ...done };
    const saved = encodeSaved(transferredSite(given, origin, keys, operations));
    await writeTransaction(context, [...saveState(saved, place, kept), ["DEL", kept.transfer]], []);
  } finally {
    ended.abort();
    client.close();
  }
}

/** Removes what an earlier transfer has written. */
async function empty(context: TransactionContext, slice: SiteSlice): Promise<void> {
  const { client } = context;
  const { checkpoint, log, transfer } = slice.kept;
  const [, isPart] = await executedAll(context, linkTransaction([["EXISTS", transfer]], []));
  const size = isPart === 1 ? 0 : await countKeys(client, slice);
  if (size !== 0) throw new Fault(faults.notEmpty, `The engine holds ${size} keys that no other site knows of.`);
  if (slice === ALL_KEYS) await client.call("FLUSHALL", "ASYNC");
  else await writeTransaction(context, [["DEL", checkpoint, log]], [slice.written(["FLUSHDB"])]);
  await writeTransaction(context, [["SET", transfer, "1"]], []);
}

async function countKeys(client: EngineClient, slice: SiteSlice): Promise<number> {
  if (slice === ALL_KEYS) return Number(await client.call("DBSIZE"));
  let count = 0;
  for await (const keys of scanKeys(client, slice)) count += keys.length;
  return count;
}

/** Writes the keys as they come; what is known of them is returned, with the operations. */
async function takeParts(context: TransactionContext, parts: Transfer["parts"]) {
  const keys = new Map<string, TransferredKey>();
  const operations: CodedOperation[] = [];
  let writes: EngineCommand[] = [];
  let bytes = 0;
  const write = async (): Promise<void> => {
    await writeTransaction(context, [], writes);
    [writes, bytes] = [[], 0];
  };
  for await (const { kind, body } of parts) {
    if (kind === "operation") {
      const operation = decodeOperation(body);
      requireNear(operation.at, context.clock.now().getTime());
      operations.push(operation);
      continue;
    }
    const key = decodeTransferredKey(body);
    // the engine has what the key holds, and a key that comes again has changed
    if (key.state === undefined) keys.delete(key.key);
    else keys.set(key.key, { ...key, effects: [] });
    for (const each of transferWrites(key)) writes.push(each);
    bytes += body.length;
    if (bytes > AT_ONCE) await write();
  }
  await write();
  return { keys: [...keys.values()], operations };
}

async function writeTransaction(
  context: TransactionContext,
  ...[kept, writes]: Parameters<typeof linkTransaction>
): Promise<void> {
  await executedAll(context, linkTransaction(kept, writes));
}

/** The place behind the transaction with the mark. */
async function placeOf(
  mark: string,
  kept: KeptKeys,
  stream: AsyncGenerator<readonly StreamCommand[]>,
): Promise<StreamPosition> {
  const units = new StreamUnits(kept);
  for await (const commands of stream)
    for (const command of commands) {
      const unit = units.add(command);
      if (unit?.kind === "mark" && unit.mark === mark) return command;
    }
  throw new Fault(respFaults.closed, "The engine has ended its stream while the data of another site was written.");
}
