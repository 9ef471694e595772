import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SocketReader } from "./socket-reader.ts";
import { argumentsOf, commandNameIn, type CommandFrame } from "./command-frame.ts";
import { dialSocket } from "./dial.ts";
import { encodeCommand } from "./encode.ts";
import { FrameSplitter } from "./frame-splitter.ts";
import {
  attachReplica,
  attachWhole,
  type Attached,
  type AttachedWhole,
  type StreamOptions,
  type StreamPosition,
} from "./replica-handshake.ts";
import { snapshotPieces } from "./snapshot.ts";

/** A command with its effects as engines pass them on, with the place behind it. */
export interface StreamCommand extends CommandFrame, StreamPosition {}

/** The stream of a primary, from the place where it begins. */
export interface ReplicationStream extends Attached {
  /** All that it executes, as it arrives. Ends with the signal; RESP_CLOSED when the primary ends it. */
  readonly commands: AsyncGenerator<readonly StreamCommand[]>;
}

/**
 * Follows a primary as one of its replicas, without its data: everything that it executes from now on, or since a place.
 * RESP_ERROR_REPLY when the primary refuses.
 */
export async function openReplicationStream(options: StreamOptions): Promise<ReplicationStream> {
  return openStream(options, async (socket, reader) => {
    const attached = await attachReplica(socket, reader, options);
    return { ...attached, commands: commandsOf(socket, reader, attached.position, options.signal) };
  });
}

/** The data of a primary, and its stream behind them. */
export interface WholeStream extends Omit<AttachedWhole, "snapshot"> {
  /** Its data, piece by piece; they are read before the commands. */
  readonly snapshot: AsyncGenerator<Buffer>;
  readonly commands: ReplicationStream["commands"];
}

/**
 * Follows a primary as a replica that has nothing. `passed` is told the place up to which commands were taken, also where the stream has only what
 * keeps it alive. RESP_ERROR_REPLY when the primary refuses.
 */
export async function openWholeStream(
  options: Omit<StreamOptions, "from">,
  passed: (offset: number) => void,
): Promise<WholeStream> {
  return openStream(options, async (socket, reader) => {
    const { snapshot, ...attached } = await attachWhole(socket, reader, options);
    const begin = { ...attached, database: 0 };
    return {
      ...attached,
      snapshot: snapshotPieces(reader, snapshot),
      commands: commandsOf(socket, reader, begin, options.signal, passed),
    };
  });
}

/** A connection to a primary that ends with the signal, and when `attach` fails. */
async function openStream<T>(
  options: StreamOptions,
  attach: (socket: Socket, reader: SocketReader) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  const socket = await dialSocket(options);
  const end = (): void => void socket.destroy();
  signal.addEventListener("abort", end, { once: true });
  socket.once("close", () => signal.removeEventListener("abort", end));
  socket.on("error", () => undefined); // the reader sees that the socket has ended
  try {
    return await attach(socket, new SocketReader(socket));
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** A primary takes a replica that says nothing for gone after a minute, and sends nothing before the first word. */
const ACKNOWLEDGE_MS = 1_000;

async function* commandsOf(
  socket: Socket,
  reader: SocketReader,
  begin: StreamPosition,
  signal: AbortSignal,
  passed: (offset: number) => void = () => undefined,
): AsyncGenerator<readonly StreamCommand[]> {
  // it holds no data: nothing may count it among the replicas that have what was written
  const acknowledge = (): void => void socket.write(encodeCommand(["REPLCONF", "ACK", 0]));
  acknowledge();
  const timer = setInterval(acknowledge, ACKNOWLEDGE_MS);
  try {
    yield* withOffsets(framesOf(reader), begin, acknowledge, passed);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(timer);
    socket.destroy();
  }
}

async function* withOffsets(
  arriving: AsyncGenerator<readonly Buffer[]>,
  { replicationId, ...begin }: StreamPosition,
  acknowledge: () => void,
  passed: (offset: number) => void,
): AsyncGenerator<readonly StreamCommand[]> {
  let { offset, database } = begin;
  for await (const frames of arriving) {
    const commands: StreamCommand[] = [];
    for (const frame of frames) {
      offset += frame.length;
      const name = commandNameIn(frame);
      if (name === "SELECT") database = Number(argumentsOf(frame)[1]);
      else if (name === "REPLCONF") acknowledge();
      else if (name !== "PING") commands.push({ name, frame, database, replicationId, offset });
    }
    if (commands.length > 0) yield commands;
    passed(offset);
  }
}

async function* framesOf(reader: SocketReader): AsyncGenerator<readonly Buffer[]> {
  const splitter = new FrameSplitter();
  for (;;) {
    const bytes = await reader.some();
    yield splitter.push(reader.take(bytes.length));
    // what arrives meanwhile would be read at once, and nothing else have its turn before all is
    await nextTurn();
  }
}
