import { format } from "prettier";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import { engineNames, startEngine } from "./engine.ts";

/** The commands whose options the product must find; `CLIENT|TRACKING` is a subcommand. */
const SYNTAX_COMMANDS = [
  ...["AUTH", "BLMOVE", "BLMPOP", "BLPOP", "BRPOP", "BRPOPLPUSH", "BZMPOP", "BZPOPMAX", "BZPOPMIN", "CLIENT|TRACKING"],
  ...[
    "COPY",
    "GEORADIUS",
    "GEORADIUSBYMEMBER",
    "HELLO",
    "SET",
    "SORT",
    "SORT_RO",
    "WAIT",
    "WAITAOF",
    "XREAD",
    "XREADGROUP",
    "ZADD",
  ],
];

/** What engines do not document, from their source. */
const UNDOCUMENTED = {
  VADD: [
    "key [REDUCE dim] (FP32 vector|VALUES num element-values...) element [CAS] [(NOQUANT|Q8|BIN)] [EF effort] [SETATTR attributes] [M links]",
  ],
};

/** The text of src/core/base/command-syntax.ts, as the engines of this machine document their commands. */
export async function syntaxTable(): Promise<string> {
  const forms: Record<string, readonly string[]> = { ...UNDOCUMENTED };
  for (const engine of engineNames()) {
    await using started = await startEngine({ engine });
    for (const name of SYNTAX_COMMANDS) {
      const documented = syntaxIn(await started.call("COMMAND", "DOCS", name));
      forms[name] = [...new Set([...(forms[name] ?? []), ...documented])];
    }
  }
  const sorted = Object.fromEntries(Object.entries(forms).sort(([one], [other]) => (one < other ? -1 : 1)));
  const text = `${COMMENT}export const COMMAND_SYNTAX: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(sorted)};\n`;
  return format(text, { parser: "typescript", printWidth: 120 });
}

const COMMENT = `/**
 * How engines document the arguments of the commands whose options the product must find, behind their names; where engines differ, each
 * form. \`node scripts/generate-syntax.ts\` writes this file from the COMMAND DOCS of the engines.
 */
`;

/** The syntax in a reply to COMMAND DOCS; none when the engine does not know the command. */
function syntaxIn(reply: Reply): readonly string[] {
  const [, documentation] = listOf(reply);
  return documentation === undefined ? [] : [listOf(fieldsOf(documentation).get("arguments")).map(partOf).join(" ")];
}

function partOf(argument: Reply): string {
  const fields = fieldsOf(argument);
  const flags = listOf(fields.get("flags")).map(String);
  const token = fields.get("token");
  const parts = listOf(fields.get("arguments")).map(partOf);
  const type = String(fields.get("type"));
  const name =
    fields.get("name") === "key" && token !== undefined ? `${String(token).toLowerCase()}key` : fields.get("name");
  const inner = type === "oneof" ? parts.join("|") : type === "block" ? parts.join(" ") : String(name);
  const repeats = flags.includes("multiple") ? "..." : "";
  if (type === "pure-token") return flags.includes("optional") ? `[${String(token)}]` : String(token);
  if (flags.includes("optional")) return optionOf(token, inner, flags);
  if (token !== undefined) return `(${String(token)} ${inner}${repeats})`;
  return (type === "oneof" || type === "block" ? `(${inner})` : inner) + repeats;
}

function optionOf(token: Reply | undefined, inner: string, flags: readonly string[]): string {
  const isChoice = inner.includes("|");
  const repeats = flags.includes("multiple") ? "..." : "";
  if (token === undefined) return `[${inner}]${repeats}`;
  if (flags.includes("multiple_token")) return `[${String(token)} ${inner}]${repeats}`;
  return isChoice ? `[${String(token)} (${inner})]` : `[${String(token)} ${inner}${repeats}]`;
}

/** The fields of a reply that lists names and values in turns. */
export function fieldsOf(reply: Reply): ReadonlyMap<string, Reply> {
  const list = listOf(reply);
  return new Map(list.flatMap((name, i) => (i % 2 === 0 ? [[String(name), list[i + 1] ?? null] as const] : [])));
}

/** A reply as a list; empty when it is none. */
export function listOf(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? reply : [];
}
