import { REPOSITORIES } from "../catalogue/images.ts";

const text = { type: "string" } as const;
const object = { type: "object" } as const;
const NAMESPACE = { type: "string", pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" } as const;

/** What values of the chart may be: Helm refuses everything else with the name of the field. */
export const CHART_SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  additionalProperties: false,
  properties: {
    global: object,
    distro: section({ mode: { type: "boolean" } }),
    operator: section({
      image: section({
        repository: { type: "string", minLength: 1 },
        tag: text,
        pullPolicy: { enum: ["", "Always", "IfNotPresent", "Never"] },
      }),
      nodeSelector: object,
      tolerations: { type: "array", items: object },
      affinity: object,
    }),
    imagePullSecrets: {
      type: "array",
      items: { type: "object", additionalProperties: false, required: ["name"], properties: { name: text } },
    },
    admission: section({ manage: { type: "boolean" } }),
    watch: section({ namespaces: { type: "array", items: NAMESPACE, uniqueItems: true, maxItems: 100 }, label: text }),
    people: section({
      roles: { type: "boolean" },
      clusters: { type: "array", items: NAMESPACE, uniqueItems: true, maxItems: 100 },
    }),
    definitions: section({ apply: { type: "boolean" } }),
  },
} as const;

function section<Properties extends object>(properties: Properties) {
  return { type: "object", additionalProperties: false, properties } as const;
}

/** The values of the chart with what they mean. */
export function chartValues(): string {
  return `# Values of the chart; values.schema.json says what each may be.

distro:
  # true on OpenShift: pods run under the built-in constraint nonroot-v2
  mode: false

operator:
  image:
    # without a tag; a private registry holds the image under the same tag
    repository: ${REPOSITORIES.operator}
    # the release of the chart when empty
    tag: ""
    # Always, IfNotPresent or Never; the default of Kubernetes when empty
    pullPolicy: ""
  nodeSelector: {}
  tolerations: []
  affinity: {}

# secrets for a private registry: [{ name: my-secret }]
imagePullSecrets: []

admission:
  # the operator installs the admission webhook and keeps its certificate current
  manage: true

watch:
  # further namespaces, which have to be there, in which clusters and databases are managed
  namespaces: []
  # and every namespace that carries this label
  label: ""

${LATER_VALUES}`;
}

const LATER_VALUES = `people:
  # true makes the ready Roles for people (docs/permissions.md); who gets one is bound by hand
  roles: false
  # the clusters whose login the Roles login and upgrader give
  clusters: []

definitions:
  # a Job brings the definitions of our kinds to this release before an install or upgrade, never to an older one
  apply: true
`;
