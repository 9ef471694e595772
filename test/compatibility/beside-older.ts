import { test } from "node:test";
import { whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases, type KeptRelease } from "../../scripts/releases/history.ts";
import { steps } from "../kit/scenario/step.ts";
import { openScene, type Scene } from "./scene.ts";

/** The release of which nodes are members beside new ones: the oldest, and with `OLDER_RELEASES=all` every one that is kept. */
export function olderReleases(): readonly KeptRelease[] {
  const kept = keptReleases();
  return process.env.OLDER_RELEASES === "all" ? kept : kept.slice(0, 1);
}

/** What happens while nodes of an older release are members, as steps in a world of its own. */
export async function testBesideOlder(
  what: string,
  older: KeptRelease,
  story: Readonly<Record<string, (scene: Scene) => Promise<void>>>,
): Promise<void> {
  const play = async (): Promise<void> => {
    await using scene = await openScene(older);
    await steps(scene, story).catch((error: unknown) => {
      throw new Error(scene.play.said(), { cause: error });
    });
  };
  const skip = (await whyNotBuildable(older)) ?? false;
  await test(`${what} while nodes of ${older.version} are members`, { skip }, play);
}
