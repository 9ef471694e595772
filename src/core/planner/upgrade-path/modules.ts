import { editObject, patchCluster, uploadModule } from "../../api/kubectl.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { modulesAgainstAutomatic } from "../modules/automatic-upgrade.ts";
import type { ModuleBuild } from "../modules/builds.ts";
import { systemsText, systemsWithoutBuild, type NeededSystems } from "../view/base-systems.ts";
import { isBundledFor } from "../view/brought-modules.ts";
import type { PlanStep } from "./step.ts";
import { stateAfter, versionsAt, type PathFacts, type PathModule, type PathState, type Move } from "./state.ts";

/** What has to be done about modules before a move (§4.3 rules 2 and 6, §9 d and e). */
export function modulesBefore(state: PathState, move: Move, facts: PathFacts, prepared: Prepared): readonly PlanStep[] {
  if (move.stage === "operator") return turnsManual(facts, prepared) ? [automaticOff(facts)] : [];
  const builds = uploads(missingBuilds(state, move, facts, prepared), facts);
  const lists = move.stage === "cluster" && listsModules(move.to, facts, prepared);
  return [...builds, ...(lists ? [listModulesStep(facts)] : [])];
}

/** What the steps before have done about modules already: nothing is done twice. */
export interface Prepared {
  /** Automatic upgrade is off. */
  readonly manual: boolean;
  /** Modules in use are in `spec.userDefinedModules`. */
  readonly listed: boolean;
  /** Builds that were uploaded. */
  readonly builds: readonly ModuleBuild[];
}

/** Where a plan begins. */
export const UNPREPARED: Prepared = { manual: false, listed: false, builds: [] };

/** What is prepared once a move is made. */
export function preparedAfter(state: PathState, move: Move, facts: PathFacts, prepared: Prepared): Prepared {
  const uploaded = missingBuilds(state, move, facts, prepared).flatMap(({ module: { name }, storeVersion, systems }) =>
    systems.map((platforms) => ({ name, compatible: storeVersion, platforms })),
  );
  return {
    manual: prepared.manual || (move.stage === "operator" && turnsManual(facts, prepared)),
    listed: prepared.listed || (move.stage === "cluster" && listsModules(move.to, facts, prepared)),
    builds: [...prepared.builds, ...uploaded],
  };
}

/** Automatic upgrade would replace nodes before the modules are in place. */
function turnsManual({ autoUpgrade, modules, listedModules }: PathFacts, { manual }: Prepared): boolean {
  const used = modules.map(({ name }) => name);
  return !manual && autoUpgrade && modulesAgainstAutomatic({ used, listed: listedModules }).length > 0;
}

function listsModules({ userModules }: Release, facts: PathFacts, { listed }: Prepared): boolean {
  return userModules === "listed" && !listed && unlistedModules(facts).length > 0;
}

function unlistedModules({ modules, listedModules }: PathFacts): readonly PathModule[] {
  return modules.filter(({ name }) => !listedModules.includes(name));
}

function automaticOff({ cluster }: PathFacts): PlanStep {
  return {
    ...NOTHING_HAPPENS,
    from: "automatic upgrade",
    to: "upgrade by hand",
    does: "sets autoUpgradeStoreEnterprise to false, because user-defined modules need it",
    commands: [patchCluster(cluster, { autoUpgradeStoreEnterprise: false })],
  };
}

/** A build that databases of one version would miss on nodes with these base systems. */
interface MissingBuild {
  readonly module: PathModule;
  readonly storeVersion: string;
  readonly systems: NeededSystems;
}

/** The builds that are needed where a move leads to, and that are not there. */
function missingBuilds(state: PathState, move: Move, facts: PathFacts, prepared: Prepared): readonly MissingBuild[] {
  if (move.stage === "operator" || move.stage === "kubernetes") return [];
  const after = stateAfter(state, move);
  const needed = facts.systemsOf(after.cluster);
  const builds = [...facts.present, ...prepared.builds];
  const versions = versionsAt(after, facts);
  return facts.modules.flatMap((module) => {
    const used = facts.databases.flatMap(({ name }, index) =>
      module.databases.includes(name) ? [versions[index] ?? ""] : [],
    );
    return [...new Set(used)]
      .filter((storeVersion) => !facts.present.some((one) => isBundledFor(one, module.name, storeVersion)))
      .map((storeVersion) => {
        const systems = systemsWithoutBuild(needed, builds, { name: module.name, storeVersion });
        return { module, storeVersion, systems };
      })
      .filter(({ systems }) => systems.length > 0);
  });
}

function uploads(missing: readonly MissingBuild[], facts: PathFacts): readonly PlanStep[] {
  if (missing.length === 0) return [];
  const places = missing.map(({ storeVersion, systems }) => `databases of ${storeVersion} on ${systemsText(systems)}`);
  return [
    {
      ...NOTHING_HAPPENS,
      from: "builds that are installed",
      to: `builds for ${[...new Set(places)].join(", ")}`,
      does: `uploads ${missing.map(({ module }, index) => `a build for ${places[index]} of ${usedBy(module)}`).join(", ")}`,
      commands: missing.flatMap(({ module: { name }, storeVersion, systems }) =>
        systems.map((system) => uploadModule(facts.cluster, `${name}-${storeVersion}-${system.join("-or-")}.zip`)),
      ),
    },
  ];
}

function listModulesStep(facts: PathFacts): PlanStep {
  return {
    ...NOTHING_HAPPENS,
    from: "not listed",
    to: "spec.userDefinedModules",
    does: `lists ${unlistedModules(facts).map(usedBy).join(", ")} in spec.userDefinedModules`,
    restarts: "nothing: the next step replaces the nodes",
    commands: [editObject(`rec ${facts.cluster}`, "together with versionTag, so that nodes are replaced once")],
  };
}

/** The base systems of a release, for instance `ubuntu18 or rhel8`. */
export function systemsOf({ baseSystems }: Release): string {
  return baseSystems.join(" or ");
}

export function isSameSystem(one: Release, other: Release): boolean {
  return systemsOf(one) === systemsOf(other);
}

const NOTHING_HAPPENS = {
  stage: "modules",
  restarts: "nothing",
  pauses: "none",
  irreversible: "",
  consent: "",
  notes: [],
} as const;

function usedBy({ name, databases }: PathModule): string {
  return `${name} (used by ${databases.map((database) => `"${database}"`).join(", ")})`;
}
