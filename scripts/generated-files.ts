import { customResourceDefinitions } from "../src/core/api/crd.ts";
import type { StructuralSchema } from "../src/core/api/structural.ts";
import {
  admissionAccess,
  admissionService,
  OPERATOR_NAMESPACE,
  webhookConfiguration,
} from "../src/core/releases/bundle/admission.ts";
import { bundleFor, watchedNamespaceFor, yaml } from "../src/core/releases/bundle/bundle.ts";
import { chartFor } from "../src/core/releases/bundle/chart.ts";
import { latestRelease } from "../src/core/releases/catalogue/find.ts";
import { PERSON_ROLES, type PersonRole } from "../src/core/releases/permissions/people.ts";
import { personRoleObjects } from "../src/core/releases/permissions/person-roles.ts";
import type { Platform } from "../src/core/releases/permissions/permission.ts";
import { watchedByLabelAccess } from "../src/core/releases/bundle/watched-by-label.ts";
import type { GeneratedFile } from "./generated-file.ts";
import { generatedPages } from "./generated-pages.ts";
import { specificationPage } from "./generated-specification.ts";

/** Everything that is made from the sources and checked in all the same, so that a user finds it. */
export async function generatedFiles(): Promise<readonly GeneratedFile[]> {
  const definitions = customResourceDefinitions();
  return [
    { path: "deploy/admission/webhook.yaml", text: yaml(admissionService()) },
    { path: "deploy/admission/webhook-template.yaml", text: webhookTemplate() },
    {
      path: "deploy/admission/cluster-role.yaml",
      text: admissionAccess(OPERATOR_NAMESPACE).map(yaml).join("---\n"),
    },
    { path: "deploy/bundle.yaml", text: bundleFor(latestRelease()) },
    { path: "deploy/distro.bundle.yaml", text: bundleFor(latestRelease(), { variant: "openshift" }) },
    { path: "deploy/watched-namespace.yaml", text: watchedNamespaceTemplate("kubernetes") },
    { path: "deploy/distro.watched-namespace.yaml", text: watchedNamespaceTemplate("openshift") },
    { path: "deploy/watched-by-label.yaml", text: watchedByLabelAccess(OPERATOR_NAMESPACE).map(yaml).join("---\n") },
    ...PERSON_ROLES.map((role) => ({ path: `deploy/${role}-role.yaml`, text: personRole(role) })),
    ...chartFor(latestRelease()).map(({ path, text }) => ({ path: `deploy/chart/${path}`, text })),
    { path: "docs/reference-fields.md", text: fieldReference(definitions) },
    { path: "docs/specification.md", text: specificationPage() },
    ...(await generatedPages()),
  ];
}

function webhookTemplate(): string {
  return yaml(webhookConfiguration(OPERATOR_NAMESPACE, [OPERATOR_NAMESPACE]));
}

/** Where the user writes the namespace that the operator is to manage. */
const WATCHED_NAMESPACE = "WATCHED_NAMESPACE";

function watchedNamespaceTemplate(variant: Platform): string {
  return watchedNamespaceFor(latestRelease(), { own: OPERATOR_NAMESPACE, watched: WATCHED_NAMESPACE, variant });
}

/** For a cluster of the name that the samples have; `storectl role` prints the same for others. */
function personRole(role: PersonRole): string {
  return personRoleObjects(role, { clusters: ["rec"], secrets: [] })
    .map(yaml)
    .join("---\n");
}

type Definitions = ReturnType<typeof customResourceDefinitions>;

function fieldReference(definitions: Definitions): string {
  const intro =
    "# Fields of the custom resources\n\nGenerated from `src/core/api` by `npm run generate`. `kubectl explain rec.spec` says the same.\n";
  return [intro, ...definitions.map(chapter)].join("\n");
}

function chapter(definition: Definitions[number]): string {
  const [version] = definition.spec.versions;
  const { description, properties } = version.schema.openAPIV3Schema;
  const head = `## ${definition.spec.names.kind} (\`${definition.spec.names.shortNames[0]}\`)\n\n${description}\n`;
  return [head, table("spec", properties.spec), table("status", properties.status)].join("\n");
}

function table(path: string, schema: StructuralSchema): string {
  const rows = fieldsOf(path, schema).map(
    ([name, field]) => `| \`${name}\` | ${typeOf(field)} | ${defaultOf(field)} | ${field.description ?? ""} |`,
  );
  return ["| Field | Type | Default | Meaning |", "|---|---|---|---|", ...rows, ""].join("\n");
}

function fieldsOf(path: string, schema: StructuralSchema): [string, StructuralSchema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = `${path}.${name}`;
    const inner = field.items?.properties === undefined ? fieldsOf(here, field) : fieldsOf(`${here}[]`, field.items);
    return [[here, field], ...inner];
  });
}

function typeOf(schema: StructuralSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema["x-kubernetes-int-or-string"] === true) return "quantity";
  if (schema.type === "array") return `list of ${schema.items?.type ?? "object"}`;
  if (schema.additionalProperties !== undefined) return "map";
  return schema.type ?? "any";
}

function defaultOf(schema: StructuralSchema): string {
  const empty = JSON.stringify(schema.default) === "{}";
  return schema.default === undefined || empty ? "" : `\`${JSON.stringify(schema.default)}\``;
}
