import { seededDice } from "../world/chaos.ts";
import type { Schedule } from "./schedule.ts";
import { NODES, type Scene } from "./scene.ts";
import { liveWithExpiry } from "./kinds/expiring.ts";
import { COMPANIES } from "./company/kinds/companies.ts";
import { startCompany } from "./start-company.ts";
import { liveWithFullMemory } from "./kinds/full.ts";
import { liveWithLarge } from "./kinds/large.ts";
import { liveWithGroup } from "./kinds/grouped.ts";
import { liveWithPrograms } from "./kinds/programs.ts";
import { liveWithPops } from "./kinds/waiting.ts";
import { liveWithTransactions } from "./kinds/transacting.ts";
import type { Kind } from "./stories/asker.ts";
import { startLife, type Life } from "./life.ts";

/** After a change of the primary that may lose something a client is judged from its next story on. */
const STORY_MS = 4_000;

/** Begins a client of each kind, each at another node than the one before, and a company of each kind. */
export function startLives(
  { cluster, port, full, hasShards }: Scene,
  { seed, faults, elements }: Schedule,
): readonly Life[] {
  const isCalm = faults.length === 0;
  const untilEnd = isCalm ? Number.POSITIVE_INFINITY : STORY_MS;
  const kinds: readonly (readonly [name: string, kind: Kind, storyMs: number])[] = [
    ["expiring", liveWithExpiry, STORY_MS],
    ["programs", liveWithPrograms, STORY_MS],
    ["grouped", liveWithGroup, STORY_MS],
    ["transacting", liveWithTransactions, STORY_MS],
    ["waiting", liveWithPops, STORY_MS],
    // what is filled once is lived with to the end, unless a fault may take it
    ["large", liveWithLarge(elements), untilEnd],
    ["full", liveWithFullMemory(), untilEnd],
  ];
  const alone = kinds.map(([name, kind, storyMs], at) => {
    const isFull = name === "full";
    const place = { host: cluster.address(NODES[(seed + at) % NODES.length] ?? 1), port: isFull ? full.port : port };
    return startLife({ ...place, isFull, name, kind, storyMs, isCalm, dice: seededDice(seed * kinds.length + at) });
  });
  const hosts = NODES.map((node) => cluster.address(node));
  const companies = COMPANIES.map((company) =>
    startCompany({ company, hosts, port, seed, isCalm, hasShards, storyMs: STORY_MS }),
  );
  return [...alone, ...companies];
}
