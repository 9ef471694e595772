import type { Clock } from "#kit/base/clock";
import { timesAsked, unacknowledgedConnections } from "#kit/processes/tcp-table";
import { VanishedClients } from "./client/vanished-clients.ts";
import type { ConnectionEnds } from "./client/vanished-clients.ts";
import { startTimer } from "./timing/timer.ts";

/** Looks at all connections of the process again and again; `cut` gets what says of a client that it has vanished, when some have. */
export function watchForVanished(
  clock: Clock,
  cut: (hasVanished: (client: ConnectionEnds) => boolean) => Promise<void>,
) {
  const vanished = new VanishedClients();
  let askedBefore: string | undefined;
  let isOver = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    const asked = await timesAsked();
    // the table of thousands of connections is long, and while every client acknowledges it says nothing
    if (asked === undefined || asked !== askedBefore || vanished.suspectsSome) await lookAtAll();
    askedBefore = asked;
    wait();
  };
  const lookAtAll = async (): Promise<void> => {
    const now = clock.uptimeMs();
    for await (const connections of unacknowledgedConnections()) vanished.see(now, connections);
    const hasVanished = vanished.judge();
    if (hasVanished !== undefined && !isOver) await cut(hasVanished);
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
