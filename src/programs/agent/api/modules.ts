import { createHash } from "node:crypto";
import type { InstalledModule } from "../../../core/api/records.ts";
import type { ModuleRecord } from "../../../ports/management/records.ts";
import type { EngineAnswer, EngineModule } from "../observation/engine-watch.ts";
import type { EngineAnswers } from "../observation/engine-answers.ts";

/** Every module of the cluster, each version once: those that engines bring, and those that were installed. */
export function moduleRecords(
  observed: readonly EngineAnswers[],
  installed: readonly InstalledModule[],
  platforms: readonly string[],
): readonly ModuleRecord[] {
  const found = observed.flatMap((answers) => [...answers.values()]).flatMap(modulesOf);
  const bundled = found.filter(({ name }) => !installed.some((one) => one.name === name));
  const distinct = new Map(bundled.map((module) => [`${module.name} ${module.version}`, module]));
  const builds = Map.groupBy(installed, ({ name, version, compatible }) => `${name} ${version} ${compatible}`);
  return [
    ...[...distinct].map(([key, module]) => bundledRecord(key, module, platforms)),
    ...[...builds.values()].map(installedRecord),
  ];
}

/** Builds of one version of a module for different platforms, as one record. */
export function installedRecord(builds: readonly InstalledModule[]): ModuleRecord {
  const [first] = builds;
  if (first === undefined) throw new Error("a module without a build");
  return {
    uid: first.uid,
    module_name: first.name,
    display_name: first.displayName,
    semantic_version: first.version,
    compatible_redis_version: first.compatible,
    platforms: Object.fromEntries(
      builds.flatMap(({ platforms, sha256 }) => platforms.map((platform) => [platform, { sha256 }])),
    ),
    is_bundled: false,
  };
}

function bundledRecord(key: string, module: EngineModule, platforms: readonly string[]): ModuleRecord {
  return {
    uid: createHash("sha256").update(key).digest("hex").slice(0, 32),
    module_name: module.name,
    display_name: module.name,
    semantic_version: semanticVersion(module),
    platforms: Object.fromEntries(platforms.map((platform) => [platform, {}])),
    is_bundled: true,
  };
}

/** Major, minor and patch of a module's number: 21017 is 2.10.17. */
export function semanticVersion({ version }: EngineModule): string {
  return `${Math.floor(version / 10_000)}.${Math.floor(version / 100) % 100}.${version % 100}`;
}

function modulesOf(answer: EngineAnswer): readonly EngineModule[] {
  return answer.state === "serving" ? answer.modules : [];
}
