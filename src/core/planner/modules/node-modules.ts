import type { InstalledModule, StoreVersion } from "../../api/records.ts";
import type { BundledModule } from "../../releases/engines/bundled-module.ts";
import { buildFor } from "./builds.ts";
import { isSameModule } from "./module-name.ts";

/** What a node reports, as far as it decides which modules its engines can load. */
export interface ModuleNode {
  readonly uid: number;
  /** Whose builds it takes, for instance `rhel9/x86_64`. */
  readonly platforms: readonly string[];
  /** uids of the installed modules that it has. */
  readonly installed: readonly string[];
  readonly engines: readonly {
    readonly storeVersion: StoreVersion;
    /** Absent from a node of release 0.1.0: nothing is known of what its engines bring. */
    readonly modules?: readonly BundledModule[] | undefined;
  }[];
}

/** Why nodes cannot load a module; undefined when each that has an engine of the version can. */
export type ModuleObjection =
  | { readonly kind: "lacking"; readonly message: string }
  /** The build is installed, and on its way to some nodes. */
  | { readonly kind: "late"; readonly message: string };

/** Of a module that a database of a version asks for. Nodes of which nothing is known are taken to lack it. */
export function moduleObjection(
  nodes: readonly ModuleNode[],
  installed: readonly InstalledModule[],
  { name, storeVersion }: { readonly name: string; readonly storeVersion: StoreVersion },
): ModuleObjection | undefined {
  const hosts = nodes.filter(({ engines }) => engines.some((engine) => engine.storeVersion === storeVersion));
  const wanting = hosts.filter((node) => !brings(node, name, storeVersion));
  if (hosts.length > 0 && wanting.length === 0) return undefined;
  const builds = wanting.map(({ platforms }) => buildFor(installed, { name, storeVersion, platforms }));
  const without = wanting.filter((_node, index) => builds[index] === undefined);
  if (hosts.length === 0 || without.length > 0)
    return { kind: "lacking", message: lackingModuleText(name, storeVersion, without, nodes, installed) };
  const late = wanting.filter((node, index) => !node.installed.includes(builds[index]?.uid ?? ""));
  if (late.length === 0) return undefined;
  return {
    kind: "late",
    message: `module "${name}" ${builds[0]?.version ?? ""} is not yet on node ${late.map(({ uid }) => uid).join(", ")}`,
  };
}

/** The module of this name that each node with an engine of the version brings with it; undefined when some node lacks it. */
export function broughtEverywhere(
  nodes: readonly ModuleNode[],
  { name, storeVersion }: { readonly name: string; readonly storeVersion: string },
): BundledModule | undefined {
  const offers = nodes
    .flatMap(({ engines }) => engines.filter((engine) => engine.storeVersion === storeVersion))
    .map(({ modules = [] }) => modules.find((one) => isSameModule(one.name, name)));
  return offers.every((offer) => offer !== undefined) ? offers[0] : undefined;
}

function brings({ engines }: ModuleNode, name: string, storeVersion: StoreVersion): boolean {
  return engines.some(
    (engine) => engine.storeVersion === storeVersion && engine.modules?.some((one) => isSameModule(one.name, name)),
  );
}

function lackingModuleText(
  name: string,
  storeVersion: StoreVersion,
  without: readonly ModuleNode[],
  nodes: readonly ModuleNode[],
  installed: readonly InstalledModule[],
): string {
  const platforms = distinct(without.flatMap((node) => node.platforms)).join(" or ") || "the nodes";
  const silent = without.filter(({ engines }) => engines.some(({ modules }) => modules === undefined));
  const builds = distinct(installed.map((one) => `${one.name} for ${one.compatible}`)).join(", ") || "none";
  return (
    `no build of module "${name}" for database version ${storeVersion} on ${platforms} is installed, and not every node's engine brings it; ` +
    `installed: ${builds}; with the engines: ${bundledText(nodes)}` +
    (silent.length === 0
      ? ""
      : `; node ${silent.map(({ uid }) => uid).join(", ")} does not report what its engines bring`)
  );
}

/** `vectorset 0.0.1 for 8.0, 8.2`, or `none`. */
function bundledText(nodes: readonly ModuleNode[]): string {
  const bundled = bundledModules(nodes);
  return (
    bundled.map(({ name, version, versions }) => `${name} ${version} for ${versions.join(", ")}`).join("; ") || "none"
  );
}

/** The modules that engines bring, each version of one once, with the database versions and the platforms that have it. */
export function bundledModules(nodes: readonly ModuleNode[]): readonly (BundledModule & {
  readonly versions: readonly StoreVersion[];
  readonly platforms: readonly string[];
})[] {
  const offers = nodes.flatMap(({ engines, platforms }) =>
    engines.flatMap(({ storeVersion, modules = [] }) => modules.map((one) => ({ ...one, storeVersion, platforms }))),
  );
  return [...Map.groupBy(offers, ({ name, version }) => `${name} ${version}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { name, version } = first;
    const versions = distinct(same.map(({ storeVersion }) => storeVersion)).toSorted();
    return [{ name, version, versions, platforms: distinct(same.flatMap(({ platforms }) => platforms)) }];
  });
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
