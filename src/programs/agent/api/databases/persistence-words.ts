import { z } from "zod";
import { PERSISTENCE } from "../../../../core/api/settings/database-settings.ts";
import type { SettingValues } from "../../../../core/api/settings/types.ts";

type Persistence = SettingValues["persistence"];

const AOF = { "appendfsync-every-sec": "aofEverySecond", "appendfsync-always": "aofAlways" } as const;
const SNAPSHOT = { 3600: "snapshotEvery1Hour", 21600: "snapshotEvery6Hour", 43200: "snapshotEvery12Hour" } as const;

const snapshot = z.strictObject({
  secs: z.literal([3600, 21600, 43200], { error: "must be 3600, 21600 or 43200" }),
  writes: z.literal(1, { error: "is always 1 here" }).exactOptional(),
});

/** How a body says how data is kept: in one word, or as such APIs do in a word and a policy. */
export const PERSISTENCE_FIELDS = {
  data_persistence: z.enum([...PERSISTENCE, "aof", "snapshot"]).exactOptional(),
  aof_policy: z.enum(["appendfsync-every-sec", "appendfsync-always"]).exactOptional(),
  snapshot_policy: z.array(snapshot).length(1).exactOptional(),
};

type Said = z.output<z.ZodObject<typeof PERSISTENCE_FIELDS>>;

/** The body with the one word; a policy without the word that it belongs to is refused. */
export function inOneWord<Body extends Said>(
  body: Body,
  context: z.RefinementCtx,
): Omit<Body, keyof Said> & { readonly data_persistence?: Persistence } {
  const { data_persistence: word, aof_policy: aof, snapshot_policy: snapshots, ...rest } = body;
  const stray =
    aof !== undefined && word !== "aof" ? "aof" : snapshots !== undefined && word !== "snapshot" ? "snapshot" : "";
  if (stray !== "") {
    const message = `belongs to data_persistence "${stray}"`;
    context.addIssue({ code: "custom", message, path: [`${stray}_policy`] });
  }
  switch (word) {
    case undefined:
      return rest;
    case "aof":
      return { ...rest, data_persistence: AOF[aof ?? "appendfsync-every-sec"] };
    case "snapshot":
      return { ...rest, data_persistence: SNAPSHOT[snapshots?.[0]?.secs ?? 43200] };
    default:
      return { ...rest, data_persistence: word };
  }
}
