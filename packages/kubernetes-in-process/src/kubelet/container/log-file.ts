import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";

/** The log of one run of a container is at most this file and one older part of the same size. */
const MAX_BYTES = 10 * 1024 * 1024;
/** A line longer than this is written in pieces. */
const MAX_LINE = 16 * 1024;
const NEWLINE = 0x0a;

export type OutputStream = "stdout" | "stderr";

/**
 * Collects the output of one run of a container in the line format of container runtimes:
 * `<time> <stream> <F|P> <text>`, where P is a piece of a line that goes on.
 */
export interface LogFile {
  readonly path: string;
  write(stream: OutputStream, chunk: Buffer): void;
  /** Writes what is left of an unfinished line; nothing can be written afterwards. */
  close(): void;
  readonly state: () => LogState;
  /** Resolves when the state is no longer `known`, or when the signal aborts. */
  changed(known: LogState, signal: AbortSignal): Promise<void>;
}

/** How far a log has come. */
export interface LogState {
  readonly bytes: number;
  readonly closed: boolean;
}

/** The name that the older part of a rotated log has. */
export function olderPart(path: string): string {
  return `${path}.1`;
}

/** Opens a log for appending. Writes are synchronous: a line is in the file before the next one is read. */
export function openLogFile(path: string, clock: Clock, maxBytes = MAX_BYTES): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  return new AppendingLog(path, clock, maxBytes);
}

class AppendingLog implements LogFile {
  readonly path: string;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #rest: Record<OutputStream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  readonly #waiting = new Set<() => void>();
  #fd: number;
  #state: LogState;

  constructor(path: string, clock: Clock, maxBytes: number) {
    this.path = path;
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#fd = openSync(path, "a", 0o600);
    this.#state = { bytes: fstatSync(this.#fd).size, closed: false };
  }

  state = (): LogState => this.#state;

  write(stream: OutputStream, chunk: Buffer): void {
    if (this.#state.closed) return;
    const held = this.#rest[stream];
    let text = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const entries: Buffer[] = [];
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE)) {
      entries.push(this.#entry(stream, "F", text.subarray(0, end)));
      text = text.subarray(end + 1);
    }
    while (text.length > MAX_LINE) {
      entries.push(this.#entry(stream, "P", text.subarray(0, MAX_LINE)));
      text = text.subarray(MAX_LINE);
    }
    this.#rest[stream] = Buffer.from(text);
    this.#append(entries);
  }

  close(): void {
    if (this.#state.closed) return;
    for (const stream of ["stdout", "stderr"] as const) {
      if (this.#rest[stream].length > 0) this.#append([this.#entry(stream, "F", this.#rest[stream])]);
    }
    closeSync(this.#fd);
    this.#become({ ...this.#state, closed: true });
  }

  async changed(known: LogState, signal: AbortSignal): Promise<void> {
    if (known !== this.#state || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve();
      };
      signal.addEventListener("abort", done);
      this.#waiting.add(done);
    });
  }

  #entry(stream: OutputStream, tag: "F" | "P", text: Buffer): Buffer {
    const head = `${this.#clock.now().toISOString()} ${stream} ${tag} `;
    return Buffer.concat([Buffer.from(head), text, Buffer.from("\n")]);
  }

  #append(entries: readonly Buffer[]): void {
    if (entries.length === 0) return;
    const bytes = Buffer.concat(entries);
    if (this.#state.bytes > 0 && this.#state.bytes + bytes.length > this.#maxBytes) this.#rotate();
    writeSync(this.#fd, bytes);
    this.#become({ ...this.#state, bytes: this.#state.bytes + bytes.length });
  }

  #rotate(): void {
    closeSync(this.#fd);
    renameSync(this.path, olderPart(this.path));
    this.#fd = openSync(this.path, "a", 0o600);
    this.#state = { ...this.#state, bytes: 0 };
  }

  #become(state: LogState): void {
    this.#state = state;
    for (const wake of [...this.#waiting]) wake();
  }
}
