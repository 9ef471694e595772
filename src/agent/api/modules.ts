import { createHash } from "node:crypto";
import type { ModuleRecord } from "../../management/records.ts";
import type { Release } from "../../releases/release.ts";
import type { EngineAnswer, EngineModule } from "../leader/engine-watch.ts";
import type { Answers } from "../leader/observation.ts";

/** The modules that the engines of `looks` report, each once, as `GET /v1/modules` shows them. */
export function moduleRecords(
  looks: readonly Answers[],
  release: Release,
  architecture: string,
): readonly ModuleRecord[] {
  const found = looks.flatMap((answers) => [...answers.values()]).flatMap(modulesOf);
  const distinct = new Map(found.map((module) => [`${module.name} ${module.version}`, module]));
  return [...distinct].map(([key, module]) => ({
    uid: createHash("sha256").update(key).digest("hex").slice(0, 32),
    module_name: module.name,
    display_name: module.name,
    semantic_version: semanticVersion(module),
    platforms: Object.fromEntries(platformsOf(release, architecture).map((platform) => [platform, {}])),
    is_bundled: true,
  }));
}

/** Major, minor and patch of a module's number: 21017 is 2.10.17. */
export function semanticVersion({ version }: EngineModule): string {
  return `${Math.floor(version / 10_000)}.${Math.floor(version / 100) % 100}.${version % 100}`;
}

function modulesOf(answer: EngineAnswer): readonly EngineModule[] {
  return answer.state === "serving" ? answer.modules : [];
}

/** A module that is part of the engine runs wherever the node's image does. */
function platformsOf({ baseOs }: Release, architecture: string): readonly string[] {
  const machine = architecture === "arm64" ? "aarch64" : "x86_64";
  return baseOs.split(" or ").map((os) => `${os}/${machine}`);
}
