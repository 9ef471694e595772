import { messageOf } from "../../../../controller-kit/src/base/fault.ts";
import { textAt } from "../objects/json.ts";
import { storeKey } from "../objects/object.ts";
import type { ServerContext } from "../context/server-context.ts";

const LIFE_MS = 3_600_000;
const SWEEP_MS = 60_000;

/** Removes events an hour after they were last seen, as long as the server runs. */
export async function expireEvents(context: ServerContext): Promise<void> {
  while (!context.closing.aborted) {
    try {
      await sweep(context);
      await context.clock.sleep(SWEEP_MS, context.closing);
    } catch (error) {
      if (context.closing.aborted) return;
      context.log.error("old events cannot be removed", { error: messageOf(error) });
      return;
    }
  }
}

async function sweep(context: ServerContext): Promise<void> {
  const limit = context.clock.now().getTime() - LIFE_MS;
  const old = context.store.list("events").filter((event) => {
    const { creationTimestamp = "" } = event.metadata;
    const seen = [textAt(event, "lastTimestamp"), textAt(event, "series", "lastObservedTime"), creationTimestamp];
    return Math.max(...seen.map((instant) => Date.parse(instant) || 0)) < limit;
  });
  await Promise.all(
    old.map(async (event) => {
      await context.store.remove("events", storeKey(event.metadata.namespace, event.metadata.name), event);
    }),
  );
}
