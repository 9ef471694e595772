import { Fault } from "../base/fault.ts";
import { faults } from "./faults.ts";

const NEWLINE = 0x0a;

/** Cuts a stream of bytes at line ends as they arrive; a line longer than `maxBytes` ends it with a fault. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
      parts = [];
      size = 0;
      from = end + 1;
      if (line !== "") yield line;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > maxBytes) throw new Fault(faults.unavailable, `a line of the stream is longer than ${maxBytes} bytes`);
  }
}
