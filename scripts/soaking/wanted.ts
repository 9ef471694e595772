import { parseArgs } from "node:util";
import { messageOf } from "#kit/base/fault";
import { notWhole } from "./not-whole.ts";
import { MOST_FAULTS } from "../../test/kit/chaos/schedule.ts";

/** What is to be played. */
export interface Wanted {
  readonly seeds: number;
  readonly from: number;
  /** Seeds that are played at a time. */
  readonly parallel: number;
  readonly minutes: number;
  /** Of one seed, at most. */
  readonly faults: number;
  /** Of the databases, as `POST /v1/bdbs` takes them; the number of shards is that of the first alone. */
  readonly settings: string;
  readonly result: string;
}

/** The arguments, or one sentence on what is wrong with them. */
export function wantedOf(args: readonly string[]): Wanted | string {
  const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
  try {
    const options = {
      seeds: text("20"),
      from: text("1"),
      parallel: text("1"),
      minutes: text("600"),
      faults: text(String(MOST_FAULTS)),
      settings: text("{}"),
      shards: text("1"),
      result: text("soak.json"),
    };
    const { values } = parseArgs({ args: [...args], options });
    const { seeds, from, parallel, minutes, faults, settings, shards, result } = values;
    const wrong = notWhole({ seeds, from, parallel, minutes, faults, shards });
    if (wrong !== undefined) return wrong;
    return {
      seeds: Number(seeds),
      from: Number(from),
      parallel: Number(parallel),
      minutes: Number(minutes),
      faults: Number(faults),
      settings: settingsOf(settings, Number(shards)),
      result,
    };
  } catch (error) {
    return messageOf(error);
  }
}

/** With the number of shards where there are several. */
function settingsOf(text: string, shards: number): string {
  const settings: Readonly<Record<string, unknown>> = JSON.parse(text);
  return shards === 1 ? text : JSON.stringify({ ...settings, shards_count: shards });
}

/** How the command is called. */
export const USAGE =
  "npm run soak -- [--seeds 20] [--from 1] [--parallel 1] [--minutes 600] [--faults 6] [--shards 1] " +
  `[--settings '{"data_persistence":"aofAlways"}'] [--result soak.json]`;
