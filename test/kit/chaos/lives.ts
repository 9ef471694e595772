import { seededDice } from "../world/chaos.ts";
import type { Schedule } from "./schedule.ts";
import { NODES, type Scene } from "./scene.ts";
import { liveWithExpiry } from "./kinds/expiring.ts";
import { liveWithLarge } from "./kinds/large.ts";
import { liveWithGroup } from "./kinds/grouped.ts";
import { liveWithPrograms } from "./kinds/programs.ts";
import { liveWithPops } from "./kinds/waiting.ts";
import { liveWithTransactions } from "./kinds/transacting.ts";
import type { Kind } from "./stories/asker.ts";
import { startLife, type Life } from "./life.ts";

/** After a change of the primary that may lose something a client is judged from its next story on. */
const STORY_MS = 4_000;

/** Begins a client of each kind, each at another node than the one before. */
export function startLives({ cluster, port }: Scene, { seed, faults, elements }: Schedule): readonly Life[] {
  const isCalm = faults.length === 0;
  const kinds: readonly (readonly [name: string, kind: Kind, storyMs: number])[] = [
    ["expiring", liveWithExpiry, STORY_MS],
    ["programs", liveWithPrograms, STORY_MS],
    ["grouped", liveWithGroup, STORY_MS],
    ["transacting", liveWithTransactions, STORY_MS],
    ["waiting", liveWithPops, STORY_MS],
    // what is filled once is lived with to the end, unless a fault may take it
    ["large", liveWithLarge(elements), isCalm ? Number.POSITIVE_INFINITY : STORY_MS],
  ];
  return kinds.map(([name, kind, storyMs], at) => {
    const host = cluster.address(NODES[(seed + at) % NODES.length] ?? 1);
    return startLife({ host, port, name, kind, storyMs, isCalm, dice: seededDice(seed * kinds.length + at) });
  });
}
