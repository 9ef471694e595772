import { open, readFile } from "node:fs/promises";
import { SocketAddress } from "node:net";

/** A connection whose other end owes an acknowledgement. */
export interface UnacknowledgedConnection {
  /** Both ends as the kernel writes them, for `endsOf`: the same text is the same connection. */
  readonly ends: string;
  /** How often the kernel has asked for it in vain. */
  readonly asked: number;
}

/**
 * The TCP connections of this network namespace that wait for an acknowledgement, as Linux lists them: while one does, keepalive
 * does not notice that its other end has vanished. They come a few at a time, and everything else has its turn in between: the kernel
 * writes the list while it is read, and takes milliseconds for a few rows where connections are few. None on other systems.
 */
export async function* unacknowledgedConnections(
  folder = "/proc/self/net",
): AsyncGenerator<readonly UnacknowledgedConnection[]> {
  for (const name of ["tcp", "tcp6"] as const)
    for await (const rows of rowsOf(`${folder}/${name}`)) {
      const found = unacknowledgedIn(rows, name === "tcp" ? 8 : 32);
      if (found.length > 0) yield found;
    }
}

/** Changes whenever the kernel asks for an acknowledgement again, in this network namespace; undefined where the system does not say. */
export async function timesAsked(): Promise<string | undefined> {
  const files = ["snmp", "netstat"].map((name) => readFile(`/proc/self/net/${name}`, "latin1"));
  const [snmp = "", netstat = ""] = await Promise.all(files).catch(() => []); // the system has none
  const counts = [countOf(snmp, "Tcp", "RetransSegs"), countOf(netstat, "TcpExt", "TCPWinProbe")];
  return counts.includes(undefined) ? undefined : counts.join(" ");
}

/** Such a file has a line of names, and below it one of numbers. */
function countOf(text: string, group: string, name: string): string | undefined {
  const [names, counts] = text.split("\n").filter((line) => line.startsWith(`${group}: `));
  const at = names?.split(" ").indexOf(name) ?? -1;
  return at < 0 ? undefined : counts?.split(" ")[at];
}

/** Whole rows of a table, as many at a time as the kernel writes at once. */
async function* rowsOf(path: string): AsyncGenerator<Buffer> {
  await using table = await open(path).catch(() => undefined); // the system has none
  if (table === undefined) return;
  // one for all: thousands of connections would take megabytes at each look
  const part = Buffer.allocUnsafe(PART_BYTES);
  let kept = 0;
  for (;;) {
    const { bytesRead } = await table.read(part, kept, PART_BYTES - kept, null);
    if (bytesRead === 0) return;
    const end = part.lastIndexOf(LF, kept + bytesRead - 1) + 1;
    yield part.subarray(0, end);
    part.copyWithin(0, end, kept + bytesRead);
    kept += bytesRead - end;
  }
}

/** The unacknowledged connections in such a table, or in rows of it; `width`: the digits of an address in them. */
export function unacknowledgedIn(rows: Buffer, width: 8 | 32): readonly UnacknowledgedConnection[] {
  const found: UnacknowledgedConnection[] = [];
  for (let start = 0, end = 0; (end = rows.indexOf(LF, start)) >= 0; start = end + 1) {
    const number = rows.indexOf(COLON, start);
    if (number < 0 || number > end) continue; // the heading
    // few of thousands of rows are sought: the others do not become texts
    const local = number + 2;
    const state = local + 2 * (width + PORT_DIGITS);
    const timer = rows[state + TIMER_AT];
    if (timer !== RETRANSMITS && timer !== PROBES) continue;
    const asked = rows.toString("latin1", state + ASKED_AT, end);
    found.push({
      ends: rows.toString("latin1", local, state - 1),
      asked: timer === PROBES ? probesIn(asked) : hex(asked),
    });
  }
  return found;
}

/** `address:port` of this end and of the other one, as Node.js writes them. */
export function endsOf({ ends }: UnacknowledgedConnection): { readonly local: string; readonly remote: string } {
  const [local = "", remote = ""] = ends.split(" ");
  return { local: endOf(local), remote: endOf(remote) };
}

/** How often it was sent again, the user, and how often it was asked for room. */
function probesIn(text: string): number {
  return Number(text.trim().split(/\s+/)[2]);
}

function hex(text: string): number {
  return parseInt(text.slice(0, 8), 16);
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
/** Behind an address: a colon, four digits and a space. */
const PORT_DIGITS = 6;
/** From the state of a connection to the last digit of the timer that runs, and to how often it was sent again. */
const TIMER_AT = 22;
const ASKED_AT = 33;
const RETRANSMITS = 49;
const PROBES = 52;
