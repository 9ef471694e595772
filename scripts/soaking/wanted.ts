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
  /** Of both databases, as `POST /v1/bdbs` takes them. */
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
      result: text("soak.json"),
    };
    const { values } = parseArgs({ args: [...args], options });
    const { seeds, from, parallel, minutes, faults, settings, result } = values;
    const wrong = notWhole({ seeds, from, parallel, minutes, faults });
    if (wrong !== undefined) return wrong;
    JSON.parse(settings);
    return {
      seeds: Number(seeds),
      from: Number(from),
      parallel: Number(parallel),
      minutes: Number(minutes),
      faults: Number(faults),
      settings,
      result,
    };
  } catch (error) {
    return messageOf(error);
  }
}

/** How the command is called. */
export const USAGE =
  "npm run soak -- [--seeds 20] [--from 1] [--parallel 1] [--minutes 600] [--faults 6] " +
  `[--settings '{"data_persistence":"aofAlways"}'] [--result soak.json]`;
