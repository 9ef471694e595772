import { readFile } from "node:fs/promises";
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
  const all = await Promise.all(
    (["tcp", "tcp6"] as const).map(async (name) => {
      const table = await readFile(`/proc/self/net/${name}`).catch(() => Buffer.alloc(0)); // the system has none
      return unacknowledgedIn(table, name === "tcp" ? 8 : 32);
    }),
  );
  return all.flat();
}

/** Those of such a table; `width`: the digits of an address in it. */
export function unacknowledgedIn(table: Buffer, width: 8 | 32): readonly UnacknowledgedConnection[] {
  const found: UnacknowledgedConnection[] = [];
  for (let start = table.indexOf(LF) + 1, end = 0; (end = table.indexOf(LF, start)) >= 0; start = end + 1) {
    // few of thousands of rows are sought: the others do not become texts
    const timer = table[table.indexOf(COLON, start) + 2 + 2 * (width + 6) + 3 + 18 + 1];
    if (timer === RETRANSMITS || timer === PROBES) found.push(rowOf(table.toString("latin1", start, end), timer));
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

const LF = 10;
const COLON = 58;
/** The last digit of the timer that runs. */
const RETRANSMITS = 49;
const PROBES = 52;
