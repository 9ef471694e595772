import type { PlanStep } from "./step.ts";
import type { PathFacts, PathModule, PathState, Move } from "./state.ts";

/** What has to be done about modules before a move of operator or cluster (§4.3 rules 2 and 6, §9 d and e). */
export function modulesBefore(
  { operator, cluster }: PathState,
  move: Move,
  facts: PathFacts,
  before: readonly PlanStep[],
): readonly PlanStep[] {
  if (move.stage === "operator") return automaticOff(facts, before);
  if (move.stage !== "cluster") return [];
  const builds = cluster.baseOs === operator.baseOs ? [] : newBuilds(facts, operator.baseOs);
  return [...builds, ...(operator.userModules === "listed" ? listing(facts, before) : [])];
}

/** Whether a step of the plan has turned automatic upgrade off. */
export function isManual(steps: readonly PlanStep[]): boolean {
  return steps.some(({ to }) => to === MANUAL);
}

/** Automatic upgrade would replace nodes before the modules are in place. */
function automaticOff(
  { cluster, autoUpgrade, modules, listedModules }: PathFacts,
  before: readonly PlanStep[],
): PlanStep[] {
  if (isManual(before) || !autoUpgrade || (modules.length === 0 && listedModules.length === 0)) return [];
  return [
    {
      ...NOTHING_HAPPENS,
      from: "automatic upgrade",
      to: MANUAL,
      does: "sets autoUpgradeStoreEnterprise to false, as user-defined modules ask",
      commands: [`kubectl patch rec ${cluster} --type merge -p '{"spec":{"autoUpgradeStoreEnterprise":false}}'`],
    },
  ];
}

function newBuilds({ modules }: PathFacts, system: string): PlanStep[] {
  const lacking = modules.filter(({ systems }) => !systems.includes(system));
  if (lacking.length === 0) return [];
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

function listing({ cluster, modules, listedModules }: PathFacts, before: readonly PlanStep[]): PlanStep[] {
  const missing = modules.filter(({ name }) => !listedModules.includes(name));
  if (missing.length === 0 || before.some(({ to }) => to === LISTED)) return [];
  return [
    {
      ...NOTHING_HAPPENS,
      from: "not listed",
      to: LISTED,
      does: `lists ${missing.map(usedBy).join(", ")} in spec.userDefinedModules`,
      restarts: "nothing by itself: the nodes are replaced in the next step anyway",
      commands: [`kubectl edit rec ${cluster}  # together with versionTag, so that nodes are replaced once`],
    },
  ];
}

const MANUAL = "upgrade by hand";
const LISTED = "spec.userDefinedModules";

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
