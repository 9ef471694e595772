import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { syntaxTable } from "../test/kit/engines/documented-syntax.ts";

/**
 * Writes src/core/base/command-syntax.ts from what the engines of this machine document. Run it by hand when an engine is added, or a
 * command in SYNTAX_COMMANDS; a test compares the file with the engines.
 */
const target = join(import.meta.dirname, "../src/core/base/command-syntax.ts");
writeFileSync(target, await syntaxTable());
