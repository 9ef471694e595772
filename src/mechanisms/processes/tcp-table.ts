import { open } from "node:fs/promises";
import { SocketAddress } from "node:net";

/** A connection whose other end owes an acknowledgement. */
export interface UnacknowledgedConnection {
  /** `address:port` of this end, as Node.js has it. */
  readonly local: string;
  readonly remote: string;
  /** How often the kernel has asked for it in vain. */
  readonly asked: number;
}

/**
 * The TCP connections of this network namespace that wait for an acknowledgement, as Linux lists them: while one does, keepalive
 * does not notice that its other end has vanished. Empty on other systems.
 */
export async function unacknowledgedConnections(): Promise<readonly UnacknowledgedConnection[]> {
  const found: UnacknowledgedConnection[] = [];
  for (const name of ["tcp", "tcp6"] as const)
    for await (const rows of rowsOf(`/proc/self/net/${name}`))
      found.push(...unacknowledgedIn(rows, name === "tcp" ? 8 : 32));
  return found;
}

/** Whole rows of a table, as many at a time as the kernel writes at once: everything else has its turn in between. */
async function* rowsOf(path: string): AsyncGenerator<Buffer> {
  await using table = await open(path).catch(() => undefined); // the system has none
  if (table === undefined) return;
  // one for all: thousands of connections would take megabytes at each look
  const part = Buffer.allocUnsafe(PART_BYTES);
  let kept = 0;
  for (let read = 0; (read = (await table.read(part, kept, PART_BYTES - kept)).bytesRead) > 0;) {
    const end = part.lastIndexOf(LF, kept + read - 1) + 1;
    yield part.subarray(0, end);
    part.copyWithin(0, end, kept + read);
    kept += read - end;
  }
}

/** Those of such a table, or of rows of it; `width`: the digits of an address in them. */
export function unacknowledgedIn(rows: Buffer, width: 8 | 32): readonly UnacknowledgedConnection[] {
  const found: UnacknowledgedConnection[] = [];
  for (let start = 0, end = 0; (end = rows.indexOf(LF, start)) >= 0; start = end + 1) {
    const number = rows.indexOf(COLON, start);
    if (number < 0 || number > end) continue; // the heading
    // few of thousands of rows are sought: the others do not become texts
    const timer = rows[number + 2 + 2 * (width + 6) + 3 + 18 + 1];
    if (timer === RETRANSMITS || timer === PROBES) found.push(rowOf(rows.toString("latin1", start, end), timer));
  }
  return found;
}

function rowOf(row: string, timer: number): UnacknowledgedConnection {
  const [, local = "", remote = "", , , , retransmits = "", , probes = ""] = row.trim().split(/\s+/);
  const asked = timer === PROBES ? Number(probes) : parseInt(retransmits, 16);
  return { local: endOf(local), remote: endOf(remote), asked };
}

/** Words of an address are in the order of this machine's bytes. */
function endOf(text: string): string {
  const [digits = "", port = ""] = text.split(":");
  const bytes = Buffer.from(digits, "hex");
  for (let at = 0; at < bytes.length; at += 4) bytes.subarray(at, at + 4).reverse();
  return `${bytes.length === 4 ? bytes.join(".") : ipv6Of(bytes)}:${parseInt(port, 16)}`;
}

function ipv6Of(bytes: Buffer): string {
  const words = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return new SocketAddress({ address: words.join(":"), family: "ipv6" }).address;
}

/** More than the kernel writes at once. */
const PART_BYTES = 16 * 1024;
const LF = 10;
const COLON = 58;
/** The last digit of the timer that runs. */
const RETRANSMITS = 49;
const PROBES = 52;
