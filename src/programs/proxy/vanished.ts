import type { Clock } from "../../core/base/clock.ts";
import { unacknowledgedConnections } from "../../mechanisms/processes/tcp-table.ts";
import { VanishedClients } from "./client/vanished-clients.ts";
import type { ConnectionEnds } from "./client/vanished-clients.ts";
import { startTimer } from "./timing/timer.ts";

/** Looks at all connections of the process again and again; `cut` gets what says of a client that it has vanished. */
export function watchForVanished(clock: Clock, cut: (hasVanished: (client: ConnectionEnds) => boolean) => void) {
  const vanished = new VanishedClients();
  let isOver = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    const connections = await unacknowledgedConnections();
    if (isOver) return;
    cut(vanished.judge(clock.uptimeMs(), connections));
    wait();
  };
  const wait = (): void => {
    cancel = startTimer(clock, EACH_MS, () => void look());
  };
  wait();
  return () => {
    isOver = true;
    cancel();
  };
}

const EACH_MS = 10_000;
