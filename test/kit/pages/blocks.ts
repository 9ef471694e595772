import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A fenced block of a page that is meant for a shell. */
export interface Block {
  readonly page: string;
  /** All of it, as a reader copies it. */
  readonly text: string;
}

const ROOT = join(import.meta.dirname, "../../..");
const FENCED = /^ *```(\w*)[^\n]*\n([^]*?)^ *```/gm;
const SHELLS = new Set(["sh", "bash", "shell", "console"]);

/** The blocks of a page for a shell, in their order. */
export function shellBlocks(page: string): readonly Block[] {
  return [...readFileSync(join(ROOT, page), "utf8").matchAll(FENCED)]
    .filter(([, language = ""]) => SHELLS.has(language))
    .map(([, , text = ""]) => ({ page, text }));
}

/** The one block of a page that begins so. */
export function shellBlock(page: string, beginning: string): Block {
  const found = shellBlocks(page).filter(({ text }) => text.startsWith(beginning));
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of ${page} begin with ${JSON.stringify(beginning)}`);
  return block;
}
