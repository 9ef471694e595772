import type { Socket } from "node:net";
import { Fault } from "../../core/base/fault.ts";
import { ByteReader } from "./byte-reader.ts";
import { argumentsOf } from "./command-frame.ts";
import { dialSocket } from "./dial.ts";
import { encodeCommand, type Arg } from "./encode.ts";
import type { EngineAddress } from "./engine-client.ts";
import { faults } from "./faults.ts";
import { FrameScanner, INCOMPLETE } from "./frame-scanner.ts";
import { skipSnapshot } from "./snapshot.ts";

/** A place in the stream of a primary. It stays valid over a change of primary. */
export interface StreamPosition {
  readonly replicationId: string;
  /** Bytes of the stream before it. */
  readonly offset: number;
  /** The numbered database that is selected there. */
  readonly database: number;
}

/** What a primary sends to its replicas. */
export type StreamEvent =
  /** `resumed`: nothing is missing since the place that was asked for. */
  { readonly kind: "attached"; readonly position: StreamPosition; readonly resumed: boolean } | StreamCommand;

/** A command with its effects as engines pass them on. */
export interface StreamCommand {
  readonly kind: "command";
  /** Each character is a byte. */
  readonly args: readonly string[];
  readonly database: number;
  /** Its length in the stream. */
  readonly bytes: number;
  /** The stream, and its bytes up to the end of the command. */
  readonly replicationId: string;
  readonly offset: number;
}

export interface StreamOptions extends EngineAddress {
  readonly timeoutMs: number;
  /** Where to go on. Where that is not possible any more, or absent, the stream begins at present. */
  readonly from?: StreamPosition | undefined;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

/**
 * Follows a primary as one of its replicas, without its data: everything that it executes from now on, or since a place. Ends
 * with the signal; RESP_CLOSED when the primary ends it, RESP_ERROR_REPLY when it refuses.
 */
export async function* readReplicationStream(options: StreamOptions): AsyncGenerator<StreamEvent> {
  const socket = await dialSocket(options);
  const end = (): void => void socket.destroy();
  options.signal.addEventListener("abort", end, { once: true });
  socket.on("error", () => undefined); // the reader sees that the socket has ended
  const reader = new ByteReader(socket);
  try {
    const attached = await attach(socket, reader, options);
    yield { kind: "attached", ...attached };
    yield* commandsOf(socket, reader, attached.position);
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    options.signal.removeEventListener("abort", end);
    socket.destroy();
  }
}

async function attach(
  socket: Socket,
  reader: ByteReader,
  { logins, password = "", from }: StreamOptions,
): Promise<{ readonly position: StreamPosition; readonly resumed: boolean }> {
  const ask = async (...args: readonly Arg[]): Promise<string> => {
    socket.write(encodeCommand(args));
    return reader.line();
  };
  await logIn(ask, logins ?? [{ user: "default", password }]);
  accepted(await ask("REPLCONF", "capa", "eof", "capa", "psync2"));
  // engines before redis 7.0 do not know it, and send their data
  await ask("REPLCONF", "rdb-filter-only", "");
  const [kind, id = "", offset] = accepted(
    await (from === undefined ? ask("PSYNC", "?", "-1") : ask("PSYNC", from.replicationId, from.offset + 1)),
  ).split(" ");
  if (kind === "+CONTINUE" && from !== undefined)
    return { position: { ...from, replicationId: id === "" ? from.replicationId : id }, resumed: true };
  if (kind !== "+FULLRESYNC") throw new Fault(faults.unexpectedReply, `PSYNC was answered with "${kind ?? ""}".`);
  await skipSnapshot(reader);
  return { position: { replicationId: id, offset: Number(offset), database: 0 }, resumed: false };
}

async function logIn(
  ask: (...args: readonly Arg[]) => Promise<string>,
  logins: NonNullable<EngineAddress["logins"]>,
): Promise<void> {
  const known = logins.filter(({ password }) => password !== "");
  let refusal = "";
  for (const { user, password } of known) {
    const reply = await ask("AUTH", user, password);
    if (!reply.startsWith("-")) return;
    refusal ||= reply;
  }
  if (known.length > 0 && known.length === logins.length) accepted(refusal);
}

/** RESP_ERROR_REPLY when the engine refuses. */
function accepted(reply: string): string {
  if (reply.startsWith("-")) throw new Fault(faults.errorReply, reply.slice(1));
  return reply;
}

/** A primary takes a replica that says nothing for gone after a minute, and sends nothing before the first word. */
const ACKNOWLEDGE_MS = 1_000;

async function* commandsOf(socket: Socket, reader: ByteReader, begin: StreamPosition): AsyncGenerator<StreamEvent> {
  const { replicationId } = begin;
  let { offset, database } = begin;
  // it holds no data: nothing may count it among the replicas that have what was written
  const acknowledge = (): void => void socket.write(encodeCommand(["REPLCONF", "ACK", 0]));
  acknowledge();
  const timer = setInterval(acknowledge, ACKNOWLEDGE_MS);
  const scanner = new FrameScanner();
  try {
    for (let scanned = 0; ;) {
      const bytes = scanned === 0 ? await reader.some() : await reader.grow();
      const end = scanner.next(bytes, scanned, bytes.length);
      if (end === INCOMPLETE) {
        scanned = bytes.length;
        continue;
      }
      scanned = 0;
      offset += end;
      const args = argumentsOf(reader.take(end));
      const name = args[0]?.toUpperCase();
      if (name === "SELECT") database = Number(args[1]);
      else if (name === "REPLCONF") acknowledge();
      else if (name !== "PING") yield { kind: "command", args, database, bytes: end, replicationId, offset };
    }
  } finally {
    clearInterval(timer);
  }
}
