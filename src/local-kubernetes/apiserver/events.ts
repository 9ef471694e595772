import { messageOf } from "../../core/base/fault.ts";
import { textAt } from "./json.ts";
import { keyOf } from "./object.ts";
import type { World } from "./world.ts";

const LIFE_MS = 3_600_000;
const SWEEP_MS = 60_000;

/** Removes events an hour after they were last seen, as long as the server runs. */
export async function expireEvents(world: World): Promise<void> {
  while (!world.closing.aborted) {
    try {
      await sweep(world);
      await world.clock.sleep(SWEEP_MS, world.closing);
    } catch (error) {
      if (world.closing.aborted) return;
      world.log.error("old events cannot be removed", { error: messageOf(error) });
      return;
    }
  }
}

async function sweep(world: World): Promise<void> {
  const limit = world.clock.now().getTime() - LIFE_MS;
  const old = world.store.list("events").filter((event) => {
    const { creationTimestamp = "" } = event.metadata;
    const seen = [textAt(event, "lastTimestamp"), textAt(event, "series", "lastObservedTime"), creationTimestamp];
    return Math.max(...seen.map((instant) => Date.parse(instant) || 0)) < limit;
  });
  await Promise.all(
    old.map(async (event) => {
      await world.store.remove("events", keyOf(event.metadata.namespace, event.metadata.name), event);
    }),
  );
}
