import { createWriteStream } from "node:fs";
import { systemClock } from "#kit/reconcile/system-clock";
import { jsonLog, type Log } from "#kit/base/log";

/** A log that appends to the file, which its owner alone can read. */
export function fileLog(path: string): Log {
  const file = createWriteStream(path, { flags: "a", mode: 0o600 });
  return jsonLog(
    (line) => void file.write(line),
    () => systemClock.now(),
  );
}
