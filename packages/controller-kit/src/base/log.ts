/** Values that accompany a log line; never a secret. */
export type Fields = Readonly<Record<string, unknown>>;

/** A log line is a constant sentence plus fields. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A log that adds `fields` to each of its lines. */
  with(fields: Fields): Log;
}

type Level = "debug" | "info" | "warn" | "error";

/** Writes one JSON object a line: `level`, `ts`, `msg`, then the fields; Errors become `{code, message}`. */
export function jsonLog(write: (line: string) => void, now: () => Date, fields: Fields = {}, debug = false): Log {
  const line = (level: Level, msg: string, extra: Fields = {}): void => {
    write(JSON.stringify({ level, ts: now().toISOString(), msg, ...fields, ...extra }, describeErrors) + "\n");
  };
  return {
    debug: (msg, extra) => {
      if (debug) line("debug", msg, extra);
    },
    info: (msg, extra) => {
      line("info", msg, extra);
    },
    warn: (msg, extra) => {
      line("warn", msg, extra);
    },
    error: (msg, extra) => {
      line("error", msg, extra);
    },
    with: (more) => jsonLog(write, now, { ...fields, ...more }, debug),
  };
}

/** A log that says nothing, for tests that do not look at it. */
export const silentLog: Log = jsonLog(
  () => undefined,
  () => new Date(0),
);

function describeErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const code = "code" in value ? { code: value.code } : {};
  return { ...code, message: value.message, ...(value.cause === undefined ? {} : { cause: value.cause }) };
}
