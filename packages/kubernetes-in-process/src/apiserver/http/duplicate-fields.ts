/** The fields that a valid JSON text gives twice, as strict decoding names them: `data.a`, `spec.items[0].name`. */
export function duplicateFields(json: string): string[] {
  const open: Level[] = [];
  const found: string[] = [];
  for (const [token, colon] of json.matchAll(TOKENS)) {
    const level = open.at(-1);
    switch (token) {
      case "{":
        open.push({ path: placeIn(level), at: "", keys: new Set() });
        break;
      case "[":
        open.push({ path: placeIn(level), at: 0, keys: undefined });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (typeof level?.at === "number") level.at += 1;
        break;
      default:
        if (level !== undefined && colon !== undefined && enterField(level, token.slice(0, -colon.length)))
          found.push(placeIn(level));
    }
  }
  return found;
}

/** True when the object has this key, a JSON string, already. */
function enterField(level: Level, key: string): boolean {
  if (level.keys === undefined) return false;
  level.at = String(JSON.parse(key));
  const isDouble = level.keys.has(level.at);
  level.keys.add(level.at);
  return isDouble;
}

/** An object or list that has begun; `at` is the key or index of its current member. */
interface Level {
  readonly path: string;
  readonly keys: Set<string> | undefined;
  at: string | number;
}

/** A string, with the colon that makes it a key, or a mark of structure; numbers and words do not matter here. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\],]/g;

/** Empty outside of everything. */
function placeIn(level: Level | undefined): string {
  if (level === undefined) return "";
  const { path, at } = level;
  if (typeof at === "number") return `${path}[${at}]`;
  return path === "" ? at : `${path}.${at}`;
}
