import type { StatusCause } from "../faults.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SERVICE_NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/** What is wrong with the names in an object's metadata. */
export function metadataCauses(resource: Resource, object: KubeObject): StatusCause[] {
  const { name, labels = {}, annotations = {}, finalizers = [] } = object.metadata;
  return [
    ...nameCauses(resource, name),
    ...Object.entries(labels).flatMap(([key, value]) => labelCauses(key, value)),
    ...Object.keys(annotations).flatMap((key) => keyCauses("metadata.annotations", key)),
    ...finalizers.flatMap((finalizer) => keyCauses("metadata.finalizers", finalizer)),
  ];
}

function nameCauses(resource: Resource, name: string): StatusCause[] {
  if (name === "") {
    return [
      {
        reason: "FieldValueRequired",
        field: "metadata.name",
        message: "Required value: name or generateName is required",
      },
    ];
  }
  const wrong = nameProblem(resource, name);
  if (wrong === undefined) return [];
  return [
    {
      reason: "FieldValueInvalid",
      field: "metadata.name",
      message: `Invalid value: ${JSON.stringify(name)}: ${wrong}`,
    },
  ];
}

function nameProblem({ group, bucket }: Resource, name: string): string | undefined {
  if (group === "rbac.authorization.k8s.io")
    return /[/%]/.test(name) || name === "." || name === ".." ? "may not contain '/' or '%'" : undefined;
  const { form, most, problem } = FORMS.get(bucket) ?? SUBDOMAINS;
  return form.test(name) && name.length <= most ? undefined : problem;
}

/** The form of the names of a kind, and what is said of another. */
interface NameForm {
  readonly form: RegExp;
  readonly most: number;
  readonly problem: string;
}

const SUBDOMAINS: NameForm = {
  form: SUBDOMAIN,
  most: 253,
  problem:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
    "alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
};

/** By bucket; the names of all other kinds are subdomains. */
const FORMS: ReadonlyMap<string, NameForm> = new Map([
  [
    "services",
    {
      form: SERVICE_NAME,
      most: 63,
      problem:
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with " +
        "an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    },
  ],
  [
    "namespaces",
    {
      form: LABEL,
      most: 63,
      problem:
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
        "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    },
  ],
]);

function labelCauses(key: string, value: unknown): StatusCause[] {
  const causes = keyCauses("metadata.labels", key);
  if (typeof value === "string" && value.length <= 63 && LABEL_VALUE.test(value)) return causes;
  const message =
    `Invalid value: ${JSON.stringify(value)}: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ` +
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  return [...causes, { reason: "FieldValueInvalid", field: "metadata.labels", message }];
}

function keyCauses(field: string, key: string): StatusCause[] {
  if (QUALIFIED.test(key.toLowerCase())) return [];
  const message =
    `Invalid value: ${JSON.stringify(key)}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end ` +
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  return [{ reason: "FieldValueInvalid", field, message }];
}
