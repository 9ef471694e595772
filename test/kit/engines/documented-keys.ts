import { format } from "prettier";
import { KEYS_BY_GRAMMAR } from "../../../src/core/slots/keys-of.ts";
import { COMMAND_TABLE } from "../../../src/programs/proxy/protocol/table/table.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import { engineNames, startEngine } from "./engine.ts";
import { fieldsOf, listOf } from "./documented-syntax.ts";

/** The text of src/core/slots/key-places.ts, as the engines of this machine say it. */
export async function keyPlacesTable(): Promise<string> {
  const places = new Map<string, string>();
  for (const engine of engineNames()) {
    await using started = await startEngine({ engine });
    for (const { name } of COMMAND_TABLE.values()) {
      const [command] = listOf(await started.call("COMMAND", "INFO", name));
      const specs = listOf(listOf(command)[KEY_SPECS]);
      if (specs.length > 0 && KEYS_BY_GRAMMAR[name] === undefined && !UNAVAILABLE.has(name))
        places.set(name, specs.flatMap(placeIn).join(" "));
    }
  }
  const grouped = Map.groupBy(
    [...places].filter(([, place]) => place !== ""),
    ([, place]) => place,
  );
  const rows = [...grouped].map(
    ([place, names]) =>
      [
        place,
        names
          .map(([name]) => name)
          .toSorted()
          .join(" "),
      ] as const,
  );
  const table = Object.fromEntries(rows.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const text = `${COMMENT}export const KEYS_BY_PLACE: Readonly<Record<string, string>> = ${JSON.stringify(table)};\n`;
  return format(text, { parser: "typescript", printWidth: 120 });
}

/** Where COMMAND INFO says where the keys of a command are. */
const KEY_SPECS = 8;
/** Only engines in a cluster of their own use them, or nobody does: they are refused. */
const UNAVAILABLE: ReadonlySet<string> = new Set(["MIGRATE", "PFDEBUG", "RESTORE-ASKING"]);

const COMMENT = `/**
 * Where the keys of commands stand, by the place: \`1\` is the first word behind the name, \`1..-1\` from there to the last one, \`/2\` each second
 * word, \`1#\` as many as the first word says, behind it. \`node scripts/generate-syntax.ts\` writes this file from the COMMAND INFO of the engines.
 */
`;

/** The place in one specification of keys; none for what names a channel. */
function placeIn(spec: Reply): readonly string[] {
  const fields = fieldsOf(spec);
  const begin = fieldsOf(fields.get("begin_search") ?? []);
  const find = fieldsOf(fields.get("find_keys") ?? []);
  if (listOf(fields.get("flags")).map(String).includes("not_key")) return [];
  const first = fieldsOf(begin.get("spec") ?? []).get("index");
  const found = fieldsOf(find.get("spec") ?? []);
  if (first === undefined) throw new Error(`the keys of a command stand behind a word: ${JSON.stringify(spec)}`);
  if (String(find.get("type")) === "keynum") return [`${String(first)}#`];
  const last = Number(found.get("lastkey"));
  const step = Number(found.get("keystep"));
  const end = last === 0 ? "" : last > 0 ? `..${Number(first) + last}` : `..${last}`;
  return [`${String(first)}${end}${step === 1 ? "" : `/${step}`}`];
}
