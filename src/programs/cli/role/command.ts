import { Argument, Command, InvalidArgumentError } from "commander";
import { applyFile } from "../../../core/api/kubectl.ts";
import { dnsLabel } from "../../../core/api/parts.ts";
import { Fault } from "#kit/base/fault";
import { yaml } from "../../../core/releases/bundle/bundle.ts";
import { PERSON_ROLES, type PersonRole } from "../../../core/releases/permissions/people.ts";
import { PERSON_ROLE_TEXTS } from "../../../core/releases/permissions/person-role-texts.ts";
import { namesSecrets, personRoleObjects, type Person } from "../../../core/releases/permissions/person-roles.ts";
import type { CliContext } from "../console/context.ts";
import { textTable } from "../console/output.ts";
import { faults } from "../faults.ts";

interface RoleOptions {
  readonly cluster?: readonly string[];
  readonly secret?: readonly string[];
  readonly user?: readonly string[];
  readonly group?: readonly string[];
  readonly serviceAccount?: readonly Person[];
}

/** `storectl role`: the ready Roles for people, to be applied by somebody who may grant rights. */
export function roleCommand({ print }: CliContext): Command {
  return new Command("role")
    .description("print ready Roles for people, and bind them to who is named; without a Role: list them")
    .addArgument(new Argument("[role...]", "which Roles").choices(PERSON_ROLES))
    .option("--cluster <name>", "cluster whose login the Role gives; may be given several times", name)
    .option("--secret <name>", "Secret with that login, where spec.clusterCredentialSecretName names one", name)
    .option("--user <name>", "who gets it; may be given several times", addText)
    .option("--group <name>", "a group that gets it; may be given several times", addText)
    .option("--service-account <namespace:name>", "an account that gets it; may be given several times", account)
    .action((roles: readonly PersonRole[], options: RoleOptions) => {
      print(roles.length === 0 ? rolesTable() : roles.map((role) => roleText(role, options)).join("---\n"));
    })
    .addHelpText(
      "after",
      `\nPipe it into \`${applyFile("-", "-n <namespace>")}\`. The command itself touches no cluster.\n`,
    );
}

function rolesTable(): string {
  return textTable(
    ["ROLE", "FOR WHO"],
    PERSON_ROLES.map((role) => [role, PERSON_ROLE_TEXTS[role].does.replaceAll("`", "")]),
  );
}

/** CLI_USAGE for a Role that names Secrets of clusters while none is named. */
function roleText(role: PersonRole, options: RoleOptions): string {
  const { cluster: clusters = [], secret: secrets = [], user = [], group = [], serviceAccount = [] } = options;
  if (namesSecrets(role) && clusters.length === 0)
    throw new Fault(faults.usage, `the Role ${role} names the Secrets of clusters: give --cluster <name>`);
  const people: readonly Person[] = [
    ...user.map((each): Person => ({ kind: "User", name: each })),
    ...group.map((each): Person => ({ kind: "Group", name: each })),
    ...serviceAccount,
  ];
  return personRoleObjects(role, { clusters, secrets }, people).map(yaml).join("---\n");
}

function name(text: string, names?: readonly string[]): readonly string[] {
  if (dnsLabel.safeParse(text).success) return addText(text, names);
  throw new InvalidArgumentError("it must be a name: small letters, digits and hyphens, at most 63");
}

function account(text: string, accounts: readonly Person[] = []): readonly Person[] {
  const [namespace = "", ...rest] = text.split(":");
  const own = rest.join(":");
  if (!dnsLabel.safeParse(namespace).success || !ACCOUNT.test(own))
    throw new InvalidArgumentError("it must be a namespace, : and the name of a ServiceAccount");
  return [...accounts, { kind: "ServiceAccount", name: own, namespace }];
}

const ACCOUNT = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

function addText(text: string, texts: readonly string[] = []): readonly string[] {
  return [...texts, text];
}
