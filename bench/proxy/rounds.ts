import { figureOf, loadText } from "./figures.ts";
import type { Row } from "./figures.ts";
import { canMeasure, measure } from "./load.ts";
import type { Load, Sample } from "./load.ts";
import type { Way } from "./way.ts";

/** What each way has made of a load so far. */
export type Samples = ReadonlyMap<Way, Sample[]>;

export function noSamples(ways: readonly Way[]): Samples {
  return new Map(ways.map((way) => [way, []]));
}

/** Adds samples: the ways take turns, so that what else the machine does meets all of them. */
export async function addRounds(
  samples: Samples,
  load: Load,
  { rounds, share }: { readonly rounds: number; readonly share: number },
): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const [way, all] of samples) {
      if (!canMeasure(way, load)) continue;
      if (process.stderr.isTTY) process.stderr.write(`${loadText(load)} round ${all.length + 1}, ${way.name}   \r`);
      all.push(await measure(way, load, share));
    }
}

/** The medians of all samples. */
export function rowOf(samples: Samples, load: Load): Row {
  return { load, figures: [...samples].map(([{ name }, all]) => figureOf(name, all)) };
}
