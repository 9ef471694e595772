/** The fields that a valid JSON text gives twice, as strict decoding names them: `data.a`, `spec.items[0].name`. */
export function duplicateFields(json: string): string[] {
  const open: Level[] = [];
  const found: string[] = [];
  for (const [token, colon] of json.matchAll(TOKENS)) {
    const level = open.at(-1);
    if (token === "{" || token === "[") {
      const path = level === undefined ? "" : placeIn(level);
      open.push(token === "{" ? { path, at: "", keys: new Set() } : { path, at: 0, keys: undefined });
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token === ",") {
      if (typeof level?.at === "number") level.at += 1;
    } else if (colon !== undefined && level?.keys !== undefined) {
      level.at = String(JSON.parse(token.slice(0, token.length - colon.length)));
      if (level.keys.has(level.at)) found.push(placeIn(level));
      level.keys.add(level.at);
    }
  }
  return found;
}

/** An object or list that has begun; `at` is the key or index of its current member. */
interface Level {
  readonly path: string;
  readonly keys: Set<string> | undefined;
  at: string | number;
}

/** A string, with the colon that makes it a key, or a mark of structure; numbers and words do not matter here. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\],]/g;

function placeIn({ path, at }: Level): string {
  if (typeof at === "number") return `${path}[${at}]`;
  return path === "" ? at : `${path}.${at}`;
}
