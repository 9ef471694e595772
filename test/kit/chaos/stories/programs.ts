import { createHash } from "node:crypto";

/** Scripts that clients use, each with the command whose reply it has. */
export const SCRIPTS = {
  append: { text: "return redis.call('APPEND', KEYS[1], ARGV[1])", command: "APPEND" },
  count: { text: "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) return n", command: "INCRBY" },
} as const;

/** A library with one function, which counts. */
export const LIBRARY = {
  name: "lives",
  called: "lives_count",
  text: "#!lua name=lives\nredis.register_function('lives_count', function(keys, args) return redis.call('INCRBY', keys[1], args[1]) end)",
  command: "INCRBY",
} as const;

/** By which a script that is loaded is called. */
export function digestOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

/** The command that a script or function comes to; any other command is itself. */
export function executed([name = "", ...args]: readonly string[]): readonly string[] {
  const [what = "", , ...rest] = args;
  if (name === "FCALL" && what === LIBRARY.called) return [LIBRARY.command, ...rest];
  const script = Object.values(SCRIPTS).find(({ text }) =>
    name === "EVAL" ? text === what : name === "EVALSHA" && digestOf(text) === what,
  );
  return script === undefined ? [name, ...args] : [script.command, ...rest];
}

/** What loading one is answered; undefined for every other command. */
export function loadedBy([name = "", how = "", ...args]: readonly string[]): string | undefined {
  if (name === "SCRIPT" && how === "LOAD") return digestOf(args[0] ?? "");
  return name === "FUNCTION" && how === "LOAD" ? LIBRARY.name : undefined;
}
