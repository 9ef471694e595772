import { requestArguments } from "./command-frame.ts";

/** A command of a stream as its bytes are. */
export class StreamedFrame {
  readonly name: string;
  readonly frame: Buffer;
  readonly words: readonly Buffer[];

  constructor(frame: Buffer) {
    this.frame = frame;
    this.words = requestArguments(frame);
    this.name = this.wordAt(0);
  }

  get length(): number {
    return this.words.length;
  }

  wordAt(at: number): string {
    return (this.words[at]?.toString("latin1") ?? "").toUpperCase();
  }

  bytesAt(at: number): Uint8Array {
    return this.words[at] ?? new Uint8Array();
  }
}
