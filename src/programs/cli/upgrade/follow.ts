import { Fault } from "#kit/base/fault";
import type { Finding } from "../../../core/api/parts.ts";
import { faults } from "../faults.ts";
import { countedText, progressLine, type Bar, type ProgressLine } from "./progress.ts";
import type { Talk } from "./talk.ts";

/** What is seen of a step at one moment. */
export interface Sight extends Bar {
  readonly isOver: boolean;
  readonly blocking: readonly Finding[];
}

const LOOK_EVERY_MS = 500;
/** A step that shows nothing new for this long is left to itself, in milliseconds. */
const PATIENCE_MS = 1_800_000;

/** Reports what changes until the step is over or blocked; CLI_INTERRUPTED when the user has had enough. */
export async function follow(talk: Talk, look: () => Promise<Sight>): Promise<Performed> {
  const line = progressLine(talk);
  try {
    return await watch(talk, line, look);
  } finally {
    line.end();
  }
}

async function watch({ clock, signal }: Talk, line: ProgressLine, look: () => Promise<Sight>): Promise<Performed> {
  let printed = "";
  let printedAt = clock.uptimeMs();
  for (;;) {
    const sight = await look();
    line.show(sight);
    const said = countedText(sight);
    const summary = `${sight.done} ${said}`;
    if (summary !== printed) printedAt = clock.uptimeMs();
    printed = summary;
    if (sight.isOver) return "done";
    if (sight.blocking.length > 0) return sight.blocking;
    if (clock.uptimeMs() - printedAt > PATIENCE_MS)
      throw new Fault(faults.notInTime, `nothing new for half an hour: ${said}`);
    await pause(clock.sleep(LOOK_EVERY_MS, signal), said);
  }
}

async function pause(sleep: Promise<void>, what: string): Promise<void> {
  try {
    await sleep;
  } catch (error) {
    throw new Fault(faults.interrupted, `stopped looking at ${what}`, {}, error);
  }
}

/** What a step came to: done, or what the product found to block it meanwhile. */
export type Performed = "done" | readonly Finding[];
