import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROGRAM = join(import.meta.dirname, "capture.py");

/** Everything that one end of a connection sent to the other while it was captured. */
export interface CapturedStream {
  /** `address:port` */
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
}

/** What passes over the loopback device to and from some networks. */
export interface Capture extends AsyncDisposable {
  /** Ends it; rejects when something was missed. */
  stop(): Promise<readonly CapturedStream[]>;
}

/** Why this machine captures nothing; undefined when it can. */
export function whyNoCapture(): string | undefined {
  const opened = "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 8)";
  const { error, status } = spawnSync("python3", ["-c", opened]);
  if (error !== undefined) return "there is no python3 on this machine";
  return status === 0 ? undefined : "this user may not capture packets (CAP_NET_RAW)";
}

/** Begins to capture; a network is the beginning of its addresses, for instance `127.7.0`, or one whole address. */
export async function startCapture(networks: readonly string[]): Promise<Capture> {
  const file = join(tmpdir(), `capture-${process.pid}-${performance.now()}`);
  const child = spawn("python3", [PROGRAM, file, ...networks], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  if ((await lines.next()).value !== "ready") throw new Error("the capture does not begin");
  return {
    stop: async () => {
      child.stdin.end();
      const dropped = (await lines.next()).value;
      await exited;
      if (dropped !== "0") throw new Error(`the capture has missed ${dropped} packets`);
      return streamsIn(await readFile(file));
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
      await rm(file, { force: true });
    },
  };
}

/** The ends of a stream that holds the text; undefined when none does. */
export function streamWith(streams: readonly CapturedStream[], text: string): string | undefined {
  const found = streams.find(({ bytes }) => bytes.includes(text));
  return found === undefined ? undefined : `${found.from} to ${found.to}`;
}

const HEADER = 16;

function streamsIn(records: Buffer): readonly CapturedStream[] {
  const parts = new Map<string, { readonly from: string; readonly to: string; readonly bytes: Buffer[] }>();
  for (let at = 0; at < records.length;) {
    const [from, to] = [endAt(records, at), endAt(records, at + 6)];
    const past = at + HEADER + records.readUInt32BE(at + 12);
    const key = `${from} ${to}`;
    const part = parts.get(key) ?? { from, to, bytes: [] };
    parts.set(key, part);
    part.bytes.push(records.subarray(at + HEADER, past));
    at = past;
  }
  return [...parts.values()].map(({ from, to, bytes }) => ({ from, to, bytes: Buffer.concat(bytes) }));
}

function endAt(records: Buffer, at: number): string {
  return `${records.subarray(at, at + 4).join(".")}:${records.readUInt16BE(at + 4)}`;
}
