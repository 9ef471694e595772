import type { CommandFrame } from "../../../ports/resp/command-frame.ts";

/** How many bytes of its append-only file a command of the stream takes: all of it, or none when the engine says it to replicas alone. */
export function fileBytes({ name, frame }: CommandFrame): number {
  return STREAM_ALONE.has(name) ? 0 : frame.length;
}

const STREAM_ALONE: ReadonlySet<string> = new Set(["PUBLISH", "SPUBLISH"]);
