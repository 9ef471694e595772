import type { Asker } from "../stories/asker.ts";

/** Lives with blocked pops: waits at a list that has an item or is empty. */
export async function liveWithPops({ name, dice, ask, isOver }: Asker): Promise<void> {
  const key = `${name}:queue`;
  for (let pushed = 0; !isOver();) {
    const kind = Math.floor(dice() * 4);
    if (kind <= 1) await ask("RPUSH", key, String((pushed += 1)));
    else if (kind === 2) await ask("BLPOP", key, SHORT_SECONDS);
    else await ask("BRPOP", key, SHORT_SECONDS);
  }
}

const SHORT_SECONDS = "0.2";
