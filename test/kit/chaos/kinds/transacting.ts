import type { Asker } from "../stories/asker.ts";

/** Lives with transactions: moves amounts between two accounts, and writes down each of the moves. */
export async function liveWithTransactions({ name, dice, ask, isOver }: Asker): Promise<void> {
  // one slot for all that a transaction names
  const [from, to, log] = [`{${name}}:from`, `{${name}}:to`, `{${name}}:log`];
  while (!isOver()) {
    const amount = 1 + Math.floor(dice() * 9);
    await ask("MULTI");
    await ask("INCRBY", from, String(-amount));
    await ask("INCRBY", to, String(amount));
    await ask("RPUSH", log, String(amount));
    if (dice() < 0.8) await ask("EXEC");
    else await ask("DISCARD");
    await ask("LLEN", log);
  }
}
