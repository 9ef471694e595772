import { join } from "node:path";
import type { Image } from "../../../scripts/images/archive.ts";
import { productImages } from "../../../scripts/images/build.ts";
import { buildRelease, whyNotBuildable, type BuiltRelease } from "../../../scripts/releases/build.ts";
import { writeChart } from "../../../scripts/releases/chart.ts";
import { keptReleases, type KeptRelease } from "../../../scripts/releases/history.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";

export const CHECKOUT = join(import.meta.dirname, "../../..");

/** A kept release that is upgraded from: images, bundle and chart are made from its commit. */
export interface Origin {
  /** Its own version, for instance "0.1.0". */
  readonly version: string;
  readonly release: Release;
  bundle(): Promise<string>;
  images(): Promise<readonly Image[]>;
  /** Writes its chart into a folder, and returns that. */
  chart(target: string): Promise<string>;
}

/** The oldest kept release and the previous one; throws when this clone lacks their commits. */
export async function openOrigins(): Promise<Readonly<Record<"oldest" | "previous", Origin>>> {
  const all = keptReleases();
  const oldest = await open(all[0]);
  return { oldest, previous: all.length === 1 ? oldest : await open(all.at(-1) ?? all[0]) };
}

async function open(kept: KeptRelease): Promise<Origin> {
  const obstacle = await whyNotBuildable(kept);
  if (obstacle !== undefined) throw new Error(obstacle);
  const from: BuiltRelease = await buildRelease(kept);
  return {
    version: from.version,
    release: from.runsAs,
    bundle: () => from.bundle(),
    // its folder has no engines
    images: () => productImages(from.folder, [from.runsAs], CHECKOUT),
    chart: (target) => writeChart(from, target),
  };
}
