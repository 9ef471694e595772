import { editObject, patchCluster } from "../../api/kubectl.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import type { PlanStep } from "./step.ts";
import type { PathFacts, PathModule, PathState, Move } from "./state.ts";

/** What has to be done about modules before a move of operator or cluster (§4.3 rules 2 and 6, §9 d and e). */
export function modulesBefore(
  { operator, cluster }: PathState,
  move: Move,
  facts: PathFacts,
  prepared: Prepared,
): readonly PlanStep[] {
  if (move.stage === "operator") return turnsManual(facts, prepared) ? [automaticOff(facts)] : [];
  if (move.stage !== "cluster") return [];
  const builds = isSameSystem(cluster, operator) ? [] : newBuilds(facts, operator);
  return [...builds, ...(listsModules(operator, facts, prepared) ? [listing(facts)] : [])];
}

/** What the steps before have done about modules already: nothing is done twice. */
export interface Prepared {
  /** Automatic upgrade is off. */
  readonly manual: boolean;
  /** Modules in use are in `spec.userDefinedModules`. */
  readonly listed: boolean;
}

/** What is prepared once a move is made. */
export function preparedAfter({ operator }: PathState, move: Move, facts: PathFacts, prepared: Prepared): Prepared {
  return {
    manual: prepared.manual || (move.stage === "operator" && turnsManual(facts, prepared)),
    listed: prepared.listed || (move.stage === "cluster" && listsModules(operator, facts, prepared)),
  };
}

/** Automatic upgrade would replace nodes before the modules are in place. */
function turnsManual({ autoUpgrade, modules, listedModules }: PathFacts, { manual }: Prepared): boolean {
  return !manual && autoUpgrade && (modules.length > 0 || listedModules.length > 0);
}

function listsModules({ userModules }: Release, facts: PathFacts, { listed }: Prepared): boolean {
  return userModules === "listed" && !listed && unlisted(facts).length > 0;
}

function unlisted({ modules, listedModules }: PathFacts): readonly PathModule[] {
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

function newBuilds({ modules }: PathFacts, release: Release): PlanStep[] {
  const { baseSystems } = release;
  const lacking = modules.filter(({ systems }) => !systems.some((system) => baseSystems.some((one) => one === system)));
  if (lacking.length === 0) return [];
  const system = systemsOf(release);
  return [
    {
      ...NOTHING_HAPPENS,
      from: "builds for the old base system",
      to: `builds for ${system}`,
      does: `uploads a build for ${system} of ${lacking.map(usedBy).join(", ")}`,
      commands: lacking.map(({ name }) => `POST /v2/modules module=@${name}-${system}.zip`),
    },
  ];
}

function listing(facts: PathFacts): PlanStep {
  return {
    ...NOTHING_HAPPENS,
    from: "not listed",
    to: "spec.userDefinedModules",
    does: `lists ${unlisted(facts).map(usedBy).join(", ")} in spec.userDefinedModules`,
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
