import type { Site } from "../../../core/merge/site.ts";
import { encodeSummary } from "../../../core/merge/summary/summary.ts";
import type { VersionVector } from "../../../core/merge/operations/version-vector.ts";

/** A part of a summary on its way to another site. */
export interface GivenSummaryPart {
  /** A `SummaryPart` (core/merge), encoded. */
  readonly body: Uint8Array;
  /** Of the last part: what the other site has received with all of them. */
  readonly received: VersionVector;
}

/**
 * A summary for a site that has only `received`. Each part is of the moment when it is asked for, and given when own operations in it are
 * `confirmed`.
 */
export async function* giveSummary(
  site: Site,
  received: VersionVector,
  confirmed: (seq: number) => Promise<void>,
): AsyncGenerator<GivenSummaryPart> {
  for (const part of site.summaryFor(received)) {
    const [body, seq] = [encodeSummary(part), site.seq];
    await confirmed(seq);
    yield { body, received: part.received };
  }
}
