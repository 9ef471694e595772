import type { Asker } from "../stories/asker.ts";

const CONSUMERS = ["a", "b", "c"];

/** Lives with a consumer group: adds entries, gives them to consumers, and acknowledges most of them. */
export async function liveWithGroup({ name, dice, ask, isOver }: Asker): Promise<void> {
  const key = `${name}:stream`;
  await ask("XGROUP", "CREATE", key, "group", "0", "MKSTREAM");
  for (let added = 0; !isOver();) {
    const kind = Math.floor(dice() * 6);
    const consumer = CONSUMERS[Math.floor(dice() * CONSUMERS.length)] ?? "a";
    const some = String(1 + Math.floor(dice() * Math.max(added, 1)));
    if (kind <= 1) await ask("XADD", key, `${(added += 1)}-1`, "number", String(added));
    else if (kind === 2) await ask("XREADGROUP", "GROUP", "group", consumer, "COUNT", "3", "STREAMS", key, ">");
    else if (kind === 3) await ask("XACK", key, "group", `${some}-1`);
    else if (kind === 4) await ask("XPENDING", key, "group");
    else await ask("XLEN", key);
  }
}
