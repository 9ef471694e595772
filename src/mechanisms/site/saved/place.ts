import { z } from "zod";
import type { RacedKey } from "../../../core/merge/operations/key-part.ts";
import { incarnationOf } from "../../../core/merge/operations/origin.ts";
import { decodeRacedKeys, encodeRacedKeys } from "../../../core/merge/state/raced-keys.ts";
import { argumentAt, type CommandFrame } from "../../../ports/resp/command-frame.ts";
import type { KeptKeys } from "./slice.ts";
import { LINK_DATABASE } from "./marks.ts";

const place = z.object({
  /** Who numbers the operations that are captured there. */
  origin: z.int().positive(),
  /** The engine process that was followed; absent where a link of a release before 0.5.0 was. */
  engine: z.string().optional(),
  /** The site has never begun anew since its link came; where it is absent, the first incarnation has not. */
  isFirst: z.boolean().optional(),
  /** The stream; empty while it is read from the append-only file. */
  replicationId: z.string(),
  /** Everything before it is captured; `database` is selected there. */
  offset: z.int().nonnegative(),
  database: z.int().nonnegative(),
  /** The same place by what an append-only file has of the stream, in bytes since the site began. */
  written: z.int().nonnegative(),
  /** Everything before it is captured, but for keys that had to be read and were not yet; counted as `written` is. */
  captured: z.int().nonnegative(),
  /** Which of the places that were ever saved here this is. */
  number: z.int().nonnegative(),
  /** The last saved place that lies before this one in the stream, with where it ends: it is looked for in an append-only file. */
  anchor: z.object({ number: z.int(), written: z.int() }).optional(),
  /** What the engine held before the stream began is among the operations; all of it, and what more is known of than was agreed on. */
  announced: z.boolean(),
  announcedKnown: z.boolean(),
  /** What the engine held before came from another site. */
  transferred: z.boolean(),
  /** What had to be written again there, as `dueText` has it; absent where that is not known. */
  due: z.base64().optional(),
});
/** How far an engine's stream is captured. */
export type Place = z.output<typeof place>;

/** The part of a place that is looked for in each transaction of the stream. */
const numbered = place.pick({ number: true });

/** What is counted from the first place of a site on. */
export const FIRST_PLACE = { written: 0, captured: 0, number: 0 } as const;

/** The place in the last entry of a log, or in a checkpoint, as one character a byte. */
export function placeIn(text: string): Place {
  return place.parse(jsonIn(text));
}

function jsonIn(text: string): unknown {
  return JSON.parse(text.startsWith("{") ? text : text.slice(1));
}

/** What has to be written again, for a place; undefined of what is not known, or too much for each place that is saved. */
export function dueText(due: readonly RacedKey[] | undefined): string | undefined {
  if (due === undefined) return undefined;
  const bytes = encodeRacedKeys(due);
  return bytes.length > MOST_DUE_BYTES ? undefined : Buffer.from(bytes).toString("base64");
}

/** What had to be written again at a place; undefined where that is not known. */
export function dueAt({ due }: Place): readonly RacedKey[] | undefined {
  return due === undefined ? undefined : decodeRacedKeys(Buffer.from(due, "base64"));
}

/** Whether the site had never begun anew when the place was saved. */
export function isFirstAt({ isFirst, origin }: Place): boolean {
  return isFirst ?? incarnationOf(origin) === 0;
}

const MOST_DUE_BYTES = 16_384;

/** The number of the place that the command of a stream saves; undefined of another command. */
export function numberIn({ name, frame, database }: CommandFrame, kept: KeptKeys): number | undefined {
  const saving = SAVING.get(name);
  if (database !== LINK_DATABASE || saving === undefined) return undefined;
  const text = argumentAt(frame, 1) === kept[saving.key] ? argumentAt(frame, saving.at) : undefined;
  return text === undefined ? undefined : numbered.parse(jsonIn(text)).number;
}

/** The commands that save a place, and where they have it. */
const SAVING: ReadonlyMap<string, { readonly key: keyof KeptKeys; readonly at: number }> = new Map([
  ["RPUSH", { key: "log", at: -1 }],
  ["HSET", { key: "checkpoint", at: 3 }],
]);
