import type { Asker } from "../stories/asker.ts";
import { digestOf, LIBRARY, SCRIPTS } from "../stories/programs.ts";

/** Lives with scripts and a function: loads them once, and calls them from then on. */
export async function liveWithPrograms({ name, dice, ask, isOver }: Asker): Promise<void> {
  const { append, count } = SCRIPTS;
  await ask("SCRIPT", "LOAD", append.text);
  await ask("FUNCTION", "LOAD", "REPLACE", LIBRARY.text);
  while (!isOver()) {
    const kind = Math.floor(dice() * 5);
    const by = String(1 + Math.floor(dice() * 9));
    if (kind === 0) await ask("EVALSHA", digestOf(append.text), "1", `${name}:text`, by);
    else if (kind === 1) await ask("EVAL", count.text, "1", `${name}:count`, by);
    else if (kind === 2) await ask("FCALL", LIBRARY.called, "1", `${name}:count`, by);
    else if (kind === 3) await ask("GET", `${name}:text`);
    else await ask("GET", `${name}:count`);
  }
}
