import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { databaseVersionOf, platformsOf, type ModuleManifest } from "../../../../core/api/module-manifest.ts";
import type { InstalledModule } from "../../../../core/api/records.ts";
import { compareVersionText } from "#kit/base/version";
import { isFault, messageOf } from "#kit/base/fault";
import type { ModuleRecord, ModuleUploaded } from "../../../../ports/management/records.ts";
import { openModule, type OpenedModule } from "../../../../ports/modules/archive.ts";
import { faults } from "../../../../ports/modules/faults.ts";
import { sameBuild } from "../../../../core/planner/modules/builds.ts";
import { isSameModule } from "../../../../core/planner/modules/module-name.ts";
import { broughtEverywhere } from "../../../../core/planner/modules/node-modules.ts";
import type { Clock } from "#kit/base/clock";
import { MACHINE } from "../../modules/platforms.ts";
import type { ModuleStore } from "../../modules/module-store.ts";
import type { Records } from "../../records/records.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import type { Members } from "../../members/members.ts";
import { moduleNodes } from "./module-nodes.ts";
import { installedRecord } from "./modules.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { requireCurrentRights } from "../users/acting-user.ts";

/** What installing and removing modules works on. */
export interface ModulesContext {
  readonly config: Pick<AgentConfig, "node" | "release">;
  readonly records: Pick<Records, "state" | "databases" | "changeState" | "reload">;
  readonly modules: Pick<ModuleStore, "has" | "read" | "put" | "claim">;
  readonly clock: Clock;
  readonly members: Pick<Members, "list">;
}

/**
 * Installs the module of an archive (§4.2), whatever state the cluster is in: a missing build is what freezes an upgrade (§7).
 * Everything is checked before this node stores the shared object; then the record lists the module, then every other node
 * fetches it. The same archive twice is installed once.
 */
export async function installModule(context: ModulesContext, archive: Blob): Promise<ModuleUploaded> {
  await using opened = await openArchive(archive);
  requireFits(context, opened.manifest);
  const build = buildOf(opened, context.clock.now());
  refuseBundled(context, build);
  refuseOther(context.records.state()?.modules ?? [], build);
  // an archive takes its time: who has lost the right meanwhile leaves nothing on the volume
  await requireCurrentRights(context.records);
  using _claim = context.modules.claim(build.uid);
  await context.modules.put(build, opened.library());
  const state = await context.records.changeState((old) => {
    const installed = old.modules ?? [];
    refuseOther(installed, build);
    return sameBuild(installed, build) === undefined ? { ...old, modules: withBuild(installed, build) } : old;
  });
  const stored = (state.modules ?? []).find(({ uid }) => uid === build.uid) ?? build;
  return { ...installedRecord([stored]), action_uid: stored.actionUid };
}

/** Removes every build of a version of a module; a refusal while a database uses the module. */
export async function deleteModule(context: ModulesContext, uid: string): Promise<ModuleRecord> {
  const found = (context.records.state()?.modules ?? []).find((one) => one.uid === uid);
  if (found === undefined) throw refuse(refusals.noSuchModule, `there is no installed module ${uid}`);
  const users = context.records
    .databases()
    .filter(({ modules = [] }) => modules.some(({ name }) => isSameModule(name, found.name)));
  if (users.length > 0) {
    const names = users.map(({ name }) => `"${name}"`).join(", ");
    throw refuse(refusals.moduleInUse, `module ${found.name} is used by ${names}`);
  }
  const isRemoved = ({ name, version, compatible }: InstalledModule): boolean =>
    isSameModule(name, found.name) && version === found.version && compatible === found.compatible;
  const builds = (context.records.state()?.modules ?? []).filter(isRemoved);
  await context.records.changeState((old) => ({
    ...old,
    modules: (old.modules ?? []).filter((one) => !isRemoved(one)),
  }));
  return installedRecord(builds);
}

/** The same shared object for further platforms is one build: engines of all of them load the same file. */
function withBuild(installed: readonly InstalledModule[], build: InstalledModule): readonly InstalledModule[] {
  if (!installed.some((one) => isSameFile(one, build))) return [...installed, build];
  return installed.map((one) =>
    isSameFile(one, build) ? { ...one, platforms: [...one.platforms, ...build.platforms] } : one,
  );
}

function isSameFile(one: InstalledModule, other: InstalledModule): boolean {
  return one.uid === other.uid && one.version === other.version && one.compatible === other.compatible;
}

async function openArchive(archive: Blob): Promise<OpenedModule> {
  try {
    return await openModule(archive);
  } catch (error) {
    if (!Object.values(faults).some((each) => isFault(error, each))) throw error;
    throw refuse(refusals.invalidModule, `module: ${messageOf(error)}`, { field: "module" });
  }
}

/** The base system is not asked: builds for the next one are installed before the nodes move to it. */
function requireFits(context: ModulesContext, { architecture, min_redis_pack_version: minimum }: ModuleManifest): void {
  if (architecture !== MACHINE) {
    throw refuse(refusals.wrongPlatform, `module: the build is for ${architecture}, and the nodes are ${MACHINE}`);
  }
  const { nodeTag } = context.config.release;
  if (minimum !== undefined && (compareVersionText(nodeTag, minimum) ?? 0) < 0) {
    throw refuse(
      refusals.clusterTooOld,
      `module: it needs a cluster of ${minimum} or later, and this one is ${nodeTag}`,
    );
  }
}

/** Nodes that lack it, as of a release whose image no longer has the package, may be given a build. */
function refuseBundled({ members }: ModulesContext, { name, compatible }: InstalledModule): void {
  const brought = broughtEverywhere(moduleNodes(members), { name, storeVersion: compatible });
  if (brought === undefined) return;
  const { version } = brought;
  const said = `module "${name}" comes with the engine of database version ${compatible} on every node: ${brought.name} ${version}`;
  throw refuse(refusals.moduleBundled, `${said}; databases of this version use that one`, { field: "module_name" });
}

/** One version of a module has one content. */
function refuseOther(installed: readonly InstalledModule[], build: InstalledModule): void {
  const same = sameBuild(installed, build);
  if (same === undefined || same.uid === build.uid) return;
  const where = same.platforms.join(", ") || "every platform";
  throw refuse(
    refusals.moduleExists,
    `module ${build.name} ${build.version} for database version ${build.compatible} on ${where} is installed with another content`,
  );
}

function buildOf({ manifest, bytes, sha256 }: OpenedModule, now: Date): InstalledModule {
  return {
    uid: sha256.slice(0, 32),
    name: manifest.module_name,
    displayName: manifest.display_name,
    version: manifest.semantic_version,
    compatible: databaseVersionOf(manifest),
    platforms: platformsOf(manifest),
    sha256,
    bytes,
    args: manifest.command_line_args ?? "",
    actionUid: randomUUID(),
    installedTime: now.toISOString(),
  };
}

/** The shared object of a module that this node has. */
export async function localModule(context: ModulesContext, uid: string): Promise<Readable> {
  if (!context.modules.has(uid))
    throw refuse(refusals.noSuchModule, `node ${context.config.node} has no module ${uid}`);
  return context.modules.read(uid);
}
