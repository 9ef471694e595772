import { applyFile, patchRole } from "../../api/kubectl.ts";
import { POLICY_VERBS } from "./permission.ts";
import type { MissingPermission, PolicyRule } from "./roles.ts";

/** A longer list is cut: an event holds 1024 characters. */
const LONGEST_LIST = 350;
/** A longer command is no help; a whole Role is applied then. */
const LONGEST_COMMAND = 560;

/** The missing permissions of one Role, as half a sentence with verbs, resources, namespace and the consequence. */
export function permissionsText(lacking: readonly MissingPermission[]): string {
  const [first] = lacking;
  if (first === undefined) return "";
  const { who, role, namespace, without } = first;
  const places = Map.groupBy(lacking, placeOf);
  const listed = shortenList([...places].map(([place, same]) => `${same.map(({ verb }) => verb).join("/")} ${place}`));
  return `the ${who} may not ${listed} in namespace ${namespace} (Role ${role}), so ${without}`;
}

/**
 * The command that gives back exactly what is lacking in one Role; undefined when so much is lacking that the Role or its
 * binding is gone, or needs to be applied as a whole.
 */
export function restoringPatch(lacking: readonly MissingPermission[]): string | undefined {
  const [first] = lacking;
  if (first === undefined) return undefined;
  const operations = restoringOperations(lacking);
  const command = patchRole(first.role, first.namespace, operations);
  return command.length > LONGEST_COMMAND ? undefined : command;
}

/** The JSON patch that adds what is lacking to a Role. */
export function restoringOperations(lacking: readonly MissingPermission[]): readonly object[] {
  const rules = [...Map.groupBy(lacking, placeOf).values()].flatMap(ruleOf);
  return rules.map((value) => ({ op: "add", path: "/rules/-", value }));
}

/** §4.3 rule 7: the command that gives the operator its Role in a further namespace. */
export function grantCommand(watched: string, own: string): string {
  return `sed 's/OPERATOR_NAMESPACE/${own}/; s/WATCHED_NAMESPACE/${watched}/' deploy/watched-namespace.yaml | ${applyFile("-")}`;
}

function placeOf({ group, resource, name }: MissingPermission): string {
  return `${resource}${group === "" ? "" : `.${group}`}${name === undefined ? "" : ` "${name}"`}`;
}

function ruleOf(same: readonly MissingPermission[]): PolicyRule[] {
  const [first] = same;
  if (first === undefined) return [];
  return [
    {
      apiGroups: [first.group],
      resources: [first.resource],
      ...(first.name === undefined ? {} : { resourceNames: [first.name] }),
      verbs: POLICY_VERBS.filter((verb) => same.some((one) => one.verb === verb)),
    },
  ];
}

function shortenList(items: readonly string[]): string {
  const shown = items.filter((_, index) => items.slice(0, index + 1).join(", ").length <= LONGEST_LIST);
  const left = items.length - shown.length;
  return left === 0 ? shown.join(", ") : `${shown.join(", ")} and ${left} more`;
}
