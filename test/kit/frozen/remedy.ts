import type { Lane } from "./lane.ts";

/** Agrees to everything that storectl proposes; the cause of this name is gone when it ends. */
export async function recoverWith(lane: Lane, id: string, ...supplies: readonly string[]): Promise<void> {
  const said = await lane.storectl("recover", "--yes", ...supplies);
  if (!new RegExp(`rec/rec: ${id}\n(   .*\n)+   cleared\n`).test(said))
    throw new Error(`${id} is not cleared:\n${said}`);
}

/** Runs the command that the finding prints, as it is printed. */
export function runRemedy(id: string): (lane: Lane) => Promise<void> {
  return async (lane) => {
    const { status } = await lane.cluster(id, ({ status: now }) => (now?.findings ?? []).some((one) => one.id === id));
    await lane.sh(status?.findings?.find((one) => one.id === id)?.remedy ?? "false");
  };
}
