import { createHash } from "node:crypto";
import type { InstalledModule, StoreVersion } from "../../../../core/api/records.ts";
import type { ModuleRecord } from "../../../../ports/management/records.ts";
import { buildFor } from "../../../../core/planner/modules/builds.ts";
import { isSameModule } from "../../../../core/planner/modules/module-name.ts";
import { bundledModules } from "../../../../core/planner/modules/node-modules.ts";
import type { ModuleNode } from "../../../../core/planner/modules/node-modules.ts";
import { semanticVersion } from "../../../../ports/resp/loaded-modules.ts";
import type { EngineModule } from "../../../../ports/resp/loaded-modules.ts";
import type { EngineAnswer } from "../../observation/engine-watch.ts";
import type { EngineAnswers } from "../../observation/engine-answers.ts";

/**
 * Every module of the cluster, each version once: those that engines bring, and those that were installed. What the engines of nodes
 * of release 0.1.0 bring is known of databases that run.
 */
export function moduleRecords(
  nodes: readonly ModuleNode[],
  observed: readonly EngineAnswers[],
  installed: readonly InstalledModule[],
): readonly ModuleRecord[] {
  const brought = bundledModules(nodes).flatMap((module) => withoutInstalled(module, installed));
  const platforms = [...new Set(nodes.flatMap((node) => node.platforms))];
  const running = observed
    .flatMap((answers) => [...answers.values()])
    .flatMap(modulesOf)
    .map((module) => ({ name: module.name, version: semanticVersion(module), platforms }))
    .filter(({ name, version }) => !brought.some((one) => one.name === name && one.version === version))
    .filter(({ name }) => !installed.some((one) => isSameModule(one.name, name)));
  const distinct = new Map([...running, ...brought].map((module) => [`${module.name} ${module.version}`, module]));
  const builds = Map.groupBy(installed, ({ name, version, compatible }) => `${name} ${version} ${compatible}`);
  return [...[...distinct.values()].map(bundledRecord), ...[...builds.values()].map(installedRecord)];
}

/** On each platform a build that fits goes before what the engine of the database version brings. */
function withoutInstalled(
  module: ReturnType<typeof bundledModules>[number],
  installed: readonly InstalledModule[],
): readonly (typeof module)[] {
  const versions = module.versions.filter(
    (storeVersion) =>
      !module.platforms.every(
        (platform) => buildFor(installed, { name: module.name, storeVersion, platforms: [platform] }) !== undefined,
      ),
  );
  return versions.length === 0 ? [] : [{ ...module, versions }];
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

function bundledRecord(module: {
  readonly name: string;
  readonly version: string;
  readonly platforms: readonly string[];
  readonly versions?: readonly StoreVersion[];
}): ModuleRecord {
  const { name, version, platforms, versions } = module;
  return {
    uid: createHash("sha256").update(`${name} ${version}`).digest("hex").slice(0, 32),
    module_name: name,
    display_name: name,
    semantic_version: version,
    platforms: Object.fromEntries(platforms.map((platform) => [platform, {}])),
    is_bundled: true,
    ...(versions === undefined ? {} : { database_versions: [...versions] }),
  };
}

function modulesOf(answer: EngineAnswer): readonly EngineModule[] {
  return answer.state === "serving" ? answer.modules : [];
}
