import { release } from "../facts/cluster-view.ts";
import { tallyArchive } from "../modules/module-archive.ts";
import { startModuleRepository, type ModuleRepository } from "../modules/module-repository.ts";
import { startStoryWorld } from "../world/story-world.ts";
import { frozenCases } from "./cases.ts";
import { openLane, type Lane } from "./lane.ts";
import { SECRET } from "./modules.ts";

/** A lane in a world of its own, with a module server and the cases that freeze its upgrades. */
export interface FrozenLane extends Lane {
  readonly cases: ReturnType<typeof frozenCases>;
  readonly modules: ModuleRepository;
  /** The operator is killed whenever it waits. */
  readonly isKilled: boolean;
}

/** The releases that lanes walk through. The first step leads onto the newer base system (§1.6). */
const RELEASES = [
  "7.4.6-2",
  ...["7.8.2-6", "7.8.4-8", "7.8.4-9", "7.8.6-1", "7.8.6-19", "7.22.0-7", "7.22.0-15", "7.22.2-21"],
];

/** Starts a world with a cluster at the first of the releases, or at `from`. */
export async function startFrozenLane(
  namespace: string,
  { from = "7.4.6-2", isKilled = false }: { readonly from?: string; readonly isKilled?: boolean } = {},
): Promise<FrozenLane & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const story = stack.use(await startStoryWorld({ kubernetesVersion: "v1.30.9" }));
  const modules = stack.adopt(await startModuleRepository(), (server) => server.close());
  modules.put("tally.zip", await tallyArchive({ version: "1.1.0", compatible: "7.2" }));
  const releases = RELEASES.slice(RELEASES.indexOf(from) + 1).map(release);
  const lane = stack.use(await openLane(story, namespace, [release(from), ...releases]));
  await modules.admit(lane.kube, namespace, SECRET);
  const owned = stack.move();
  return {
    ...lane,
    cases: frozenCases(modules),
    modules,
    isKilled,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
