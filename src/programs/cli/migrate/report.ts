import type { DestinationFacts, SourceFacts } from "../../../core/migration/obstacles.ts";
import type { CutOver } from "../../../mechanisms/migration/cut-over.ts";
import type { MigrationProgress } from "../../../mechanisms/migration/migration.ts";
import { namedValues } from "../console/output.ts";
import { bytesText, durationText } from "../console/units.ts";

/** What would be led into what. */
export function migrationPlanText(source: SourceFacts, into: DestinationFacts): string {
  const keys = [...source.keys].map(([database, count]) => `${count} in database ${database}`).join(", ") || "none";
  return namedValues(
    [
      ["FROM", `${source.engine.family} ${source.engine.version}`],
      ["KEYS", keys],
      ["DATA", bytesText(source.bytes)],
      ["INTO", `${into.name} at ${into.engine.family} ${into.engine.version}`],
      ["SHARDS", `${into.shards}`],
      ["MEMORY", bytesText(into.memory)],
    ],
    10,
  );
}

/** How a migration stands, in one line. */
export function migrationText({ state, keys, bytes, behind, compared, open, isWhole }: MigrationProgress): string {
  if (state === "awaited") return "the source prepares its data";
  if (state === "copying") return `copied ${keys} keys, ${bytesText(bytes)}`;
  const looked = isWhole ? "every key was compared" : `${compared} keys compared`;
  return `following, ${bytesText(behind)} behind; ${looked}, ${open} open`;
}

/** What came of it. */
export function receiptText(
  { keys, bytes, commands, compared }: MigrationProgress,
  { pausedMs, undo }: CutOver,
  seconds: number,
): string {
  return namedValues(
    [
      ["COPIED", `${keys} keys, ${bytesText(bytes)}, in ${durationText(seconds)}`],
      ["FOLLOWED", `${commands} commands`],
      ["COMPARED", `${compared} keys by their digests; each is the same on both sides`],
      ["PAUSED", `writes of the source for ${Math.ceil(pausedMs)} ms; it refuses them now (NOREPLICAS)`],
      ["UNDO", `at the source: ${undo.join(" ")}`],
    ],
    10,
  );
}
