import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
/** Rooms that work in folders where engines, which have another user, can replace files. */
const ROOMS = ["src/mechanisms/supervisor", "src/mechanisms/site", "src/mechanisms/starter", "src/programs/agent"];
const OPENS = /\b(?:readFile|readFileSync|open|openSync|createReadStream|createWriteStream|openAsBlob|appendFile)\b/;
const IMPORT = /import \{([^}]*)\} from "node:fs(?:\/promises)?"/g;

/** Files that open others without it, and why they may. */
const EXCEPT: Readonly<Record<string, string>> = {
  "src/mechanisms/starter/group-access.ts": "it opens folders too, follows no link and waits for nothing",
  "src/programs/agent/api/modules/archives.ts": "the folder is written by the agent alone, under names that are drawn",
  "src/programs/agent/runtime/mounted-secret.ts": "Kubernetes mounts it, read-only",
};

test("files that others can replace are opened by one function", () => {
  const opening = filesBelow(ROOT, ROOMS).filter((file) => {
    const imports = file.endsWith(".test.ts") ? [] : [...readFileSync(join(ROOT, file), "utf8").matchAll(IMPORT)];
    return imports.some(([, names = ""]) => OPENS.test(names));
  });
  assert.deepEqual(opening, Object.keys(EXCEPT));
});
