import { applyFile } from "../../api/kubectl.ts";
import { placeholder, shellWord } from "#kit/base/shell-word";
import { PERSON_RIGHTS, PERSON_ROLES, type PersonRole } from "./people.ts";
import { namesOf, namesSecrets, type Logins, type Person } from "./person-roles.ts";

/** One verb on one resource, as a person asks for it. */
export interface Access {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Plural; a subresource follows a slash. */
  readonly resource: string;
  /** Only of the object of this name. */
  readonly name?: string | undefined;
  /** Absent of what belongs to no namespace. */
  readonly namespace?: string | undefined;
}

/** The ready Roles that give what is asked for, as few as it takes, and what none of them gives. */
export function rolesThatGive(
  asked: readonly Access[],
  logins: Logins,
): { readonly roles: readonly PersonRole[]; readonly left: readonly Access[] } {
  const left = asked.filter((access) => !PERSON_ROLES.some((role) => gives(role, access, logins)));
  const given = asked.filter((access) => !left.includes(access));
  const suffices = (roles: readonly PersonRole[]): boolean =>
    given.every((access) => roles.some((role) => gives(role, access, logins)));
  return { roles: CHOICES.find(suffices) ?? PERSON_ROLES, left };
}

/** Every choice of Roles: fewer come first, and of as many those that give less. */
const CHOICES: readonly (readonly PersonRole[])[] = PERSON_ROLES.reduce<readonly (readonly PersonRole[])[]>(
  (choices, role) => [...choices, ...choices.map((choice) => [...choice, role])],
  [[]],
).toSorted((one, other) => one.length - other.length);

function gives(role: PersonRole, { verb, group, resource, name, namespace }: Access, logins: Logins): boolean {
  return PERSON_RIGHTS.some((right) => {
    const names = namesOf(right, logins);
    return (
      right.roles.includes(role) &&
      right.group === group &&
      right.resource === resource &&
      (right.isClusterWide === true) === (namespace === undefined) &&
      right.verbs.some((one) => one === verb) &&
      (right.only === undefined || (name !== undefined && names.includes(name)))
    );
  });
}

/** An access in words for people: `list pods`, `patch storeenterpriseclusters.app.storeenterprise.io "rec"`. */
export function accessText({ verb, group, resource, name }: Access): string {
  return `${verb} ${resource}${group === "" ? "" : `.${group}`}${name === undefined ? "" : ` "${name}"`}`;
}

/** The command that gives these Roles to a person in a namespace, for a user who may grant rights; the reader fills in a person who is not known. */
export function grantRolesCommand(
  roles: readonly PersonRole[],
  person: Person | undefined,
  { namespace, logins }: { readonly namespace: string; readonly logins: Logins },
): string {
  const isNamed = roles.some(namesSecrets);
  const options = [
    ...(isNamed ? logins.clusters.map((name) => `--cluster ${shellWord(name)}`) : []),
    ...(isNamed ? logins.secrets.map((name) => `--secret ${shellWord(name)}`) : []),
    holderOption(person),
  ];
  return `storectl role ${roles.join(" ")} ${options.join(" ")} | ${applyFile("-", `-n ${shellWord(namespace)}`)}`;
}

function holderOption(person: Person | undefined): string {
  if (person === undefined) return `${PERSON_OPTIONS.User} ${shellWord(placeholder("<you>"))}`;
  const { kind, name, namespace } = person;
  return `${PERSON_OPTIONS[kind]} ${shellWord(namespace === undefined ? name : `${namespace}:${name}`)}`;
}

const PERSON_OPTIONS = { User: "--user", Group: "--group", ServiceAccount: "--service-account" } as const;
