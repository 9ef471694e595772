import type { Clock } from "../../core/base/clock.ts";
import { unacknowledgedConnections } from "../../mechanisms/processes/tcp-table.ts";
import { VanishedClients } from "./client/vanished-clients.ts";
import type { ConnectionEnds } from "./client/vanished-clients.ts";
import { startTimer } from "./timing/timer.ts";

/** Looks at all connections of the process again and again; `cut` gets what says of a client that it has vanished, when some have. */
export function watchForVanished(
  clock: Clock,
  cut: (hasVanished: (client: ConnectionEnds) => boolean) => Promise<void>,
) {
  const vanished = new VanishedClients();
  let isOver = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    const connections = await unacknowledgedConnections();
    if (isOver) return;
    const hasVanished = vanished.judge(clock.uptimeMs(), connections);
    if (hasVanished !== undefined) await cut(hasVanished);
    wait();
  };
  const wait = (): void => {
    if (isOver) return;
    cancel = startTimer(clock, EACH_MS, () => void look());
  };
  wait();
  return () => {
    isOver = true;
    cancel();
  };
}

const EACH_MS = 10_000;
