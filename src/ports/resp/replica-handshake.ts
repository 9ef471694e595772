import type { Socket } from "node:net";
import { Fault } from "#kit/base/fault";
import type { SocketReader } from "./socket-reader.ts";
import { encodeCommand, type Arg } from "./encode.ts";
import type { EngineAddress } from "./engine-client.ts";
import { faults } from "./faults.ts";
import { readSnapshotForm, skipSnapshot, type SnapshotForm } from "./snapshot.ts";

/** A place in the stream of a primary. It stays valid over a change of primary. */
export interface StreamPosition {
  readonly replicationId: string;
  /** Bytes of the stream before it. */
  readonly offset: number;
  /** The numbered database that is selected there. */
  readonly database: number;
}

export interface StreamOptions extends EngineAddress {
  readonly timeoutMs: number;
  /** Where to go on. Where that is not possible any more, or absent, the stream begins at present. */
  readonly from?: StreamPosition | undefined;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

/** Where a stream begins. */
export interface Attached {
  readonly position: StreamPosition;
  /** Nothing is missing since the place that was asked for. */
  readonly resumed: boolean;
}

/** Logs in and attaches as a replica, behind the snapshot if the primary sends one. RESP_ERROR_REPLY when it refuses. */
export async function attachReplica(
  socket: Socket,
  reader: SocketReader,
  { from, ...address }: StreamOptions,
): Promise<Attached> {
  const ask = await introduce(socket, reader, address);
  // engines before redis 7.0 do not know it, and send their data
  await ask("REPLCONF", "rdb-filter-only", "");
  const [kind, id = "", offset] = requireAccepted(
    await (from === undefined ? ask("PSYNC", "?", "-1") : ask("PSYNC", from.replicationId, from.offset + 1)),
  ).split(" ");
  if (kind === "+CONTINUE" && from !== undefined)
    return { position: { ...from, replicationId: id === "" ? from.replicationId : id }, resumed: true };
  if (kind !== "+FULLRESYNC") throw new Fault(faults.unexpectedReply, `PSYNC was answered with "${kind ?? ""}".`);
  await skipSnapshot(reader);
  return { position: { replicationId: id, offset: Number(offset), database: 0 }, resumed: false };
}

/** The data of a primary, which come next on its connection, and the place of the stream that begins behind them. */
export interface AttachedWhole {
  readonly replicationId: string;
  readonly offset: number;
  readonly snapshot: SnapshotForm;
}

/** Logs in and attaches as a replica that has nothing, before the snapshot. RESP_ERROR_REPLY when the primary refuses. */
export async function attachWhole(
  socket: Socket,
  reader: SocketReader,
  address: EngineAddress,
): Promise<AttachedWhole> {
  const ask = await introduce(socket, reader, address);
  const [kind, replicationId = "", offset] = requireAccepted(await ask("PSYNC", "?", "-1")).split(" ");
  if (kind !== "+FULLRESYNC") throw new Fault(faults.unexpectedReply, `PSYNC was answered with "${kind ?? ""}".`);
  return { replicationId, offset: Number(offset), snapshot: await readSnapshotForm(reader) };
}

type Ask = (...args: readonly Arg[]) => Promise<string>;

/** Logs in, and says what this replica can take. */
async function introduce(
  socket: Socket,
  reader: SocketReader,
  { logins, password = "" }: Pick<EngineAddress, "logins" | "password">,
): Promise<Ask> {
  const ask: Ask = async (...args) => {
    socket.write(encodeCommand(args));
    return reader.line();
  };
  await logIn(ask, logins ?? [{ user: "default", password }]);
  requireAccepted(await ask("REPLCONF", "capa", "eof", "capa", "psync2"));
  return ask;
}

async function logIn(ask: Ask, logins: NonNullable<EngineAddress["logins"]>): Promise<void> {
  const known = logins.filter(({ password }) => password !== "");
  let refusal = "";
  for (const { user, password } of known) {
    const reply = await ask("AUTH", user, password);
    if (!reply.startsWith("-")) return;
    refusal ||= reply;
  }
  if (known.length > 0 && known.length === logins.length) requireAccepted(refusal);
}

/** RESP_ERROR_REPLY when the engine refuses. */
function requireAccepted(reply: string): string {
  if (reply.startsWith("-")) throw new Fault(faults.errorReply, reply.slice(1));
  return reply;
}
