import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { arityTable } from "../test/kit/engines/documented-arities.ts";
import { keyPlacesTable } from "../test/kit/engines/documented-keys.ts";
import { syntaxTable } from "../test/kit/engines/documented-syntax.ts";

/**
 * Writes src/core/base/command-syntax.ts and src/programs/proxy/protocol/table/arities.ts from what the engines of this machine document.
 * Run it by hand when an engine is added, or a command of these tables; a test compares the files with the engines.
 */
const src = join(import.meta.dirname, "../src");
writeFileSync(join(src, "core/base/command-syntax.ts"), await syntaxTable());
writeFileSync(join(src, "programs/proxy/protocol/table/arities.ts"), await arityTable());
writeFileSync(join(src, "core/slots/key-places.ts"), await keyPlacesTable());
