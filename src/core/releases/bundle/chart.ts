import { getObjects } from "../../api/kubectl.ts";
import { APP_LABEL, OPERATOR_CONFIG, OPERATOR_NAME, WATCHED_LABEL, WATCHED_NAMESPACES } from "../../api/names.ts";
import { admissionAccess, admissionService, emptyConfiguration, operatorNetworkPolicy } from "./admission.ts";
import {
  definitionsOf,
  operatorBinding,
  operatorRole,
  withRelease,
  serviceAccount,
  watchGrants,
  yaml,
} from "./bundle.ts";
import { CHART_SCHEMA, chartValues } from "./chart-values.ts";
import { definitionsJob } from "./chart-definitions.ts";
import { imagesOf } from "../catalogue/images.ts";
import { operatorDeployment } from "./operator-deployment.ts";
import { PERSON_ROLES } from "../permissions/people.ts";
import { namesSecrets, personRoleObjects } from "../permissions/person-roles.ts";
import type { Release } from "../catalogue/release.ts";
import { operatorRules } from "../permissions/roles.ts";
import { watchedByLabelAccess } from "./watched-by-label.ts";

/** One file of the Helm chart; `path` is below the folder of the chart. */
export interface ChartFile {
  readonly path: string;
  readonly text: string;
}

/** The Helm chart of a release: the same objects as in its bundles, with what values may change in its place (§1.5, §4.1). */
export function chartFor(release: Release): readonly ChartFile[] {
  const template = (name: string, text: string): ChartFile => ({ path: `templates/${name}.yaml`, text });
  const mark = <T extends { readonly metadata: object }>(object: T) => withRelease(object, release);
  const manifest = (objects: readonly { readonly metadata: object }[]): string =>
    objects.map(mark).map(yaml).join("---\n");
  return [
    { path: "Chart.yaml", text: yaml(chartOf(release)) },
    { path: "values.yaml", text: chartValues() },
    { path: "values.schema.json", text: `${JSON.stringify(CHART_SCHEMA, null, 2)}\n` },
    ...definitionsOf(release).map((one) => ({ path: `crds/${one.metadata.name}.yaml`, text: yaml(one) })),
    template("role", withDistroRules(yaml(mark(operatorRole("kubernetes"))))),
    template("access", manifest([operatorBinding(), serviceAccount(), admissionService(), operatorNetworkPolicy()])),
    template("deployment", deploymentTemplate(yaml(mark(operatorDeployment(release, "kubernetes", PLACES))), release)),
    template("watched", watchedTemplate(manifest)),
    template("people", peopleTemplate()),
    template("admission", when(".Values.admission.manage", admissionTemplate(manifest))),
    template("definitions", definitionsJob({ app: APP_LABEL })),
    { path: "templates/NOTES.txt", text: NOTES },
  ];
}

const NAMESPACE = "{{ .Release.Namespace }}";

function chartOf({ operator }: Release) {
  return {
    apiVersion: "v2",
    name: OPERATOR_NAME,
    description: "The operator of Store Enterprise: clusters and databases that are upgraded while clients write.",
    type: "application",
    version: operator,
    appVersion: operator,
    kubeVersion: ">=1.27.0-0",
  };
}

/** What stands in the Deployment where the chart has an expression. */
const PLACES = { repository: "IMAGE", pullPolicy: "Always", pullSecrets: ["SECRET"] } as const;

function deploymentTemplate(text: string, release: Release): string {
  const tag = imagesOf(release).operator.split(":").at(-1) ?? "";
  return replaceOnce(text, [
    [
      `image: IMAGE:${tag}`,
      `image: "{{ .Values.operator.image.repository }}:{{ .Values.operator.image.tag | default .Chart.AppVersion }}"`,
    ],
    [
      "          imagePullPolicy: Always\n",
      `          {{- with .Values.operator.image.pullPolicy }}\n          imagePullPolicy: {{ . }}\n          {{- end }}\n`,
    ],
    [
      "      imagePullSecrets:\n        - name: SECRET\n",
      `      {{- with .Values.imagePullSecrets }}\n      imagePullSecrets:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n` +
        ["nodeSelector", "affinity"].map(valueTemplate).join(""),
    ],
    [
      "      securityContext:\n        runAsNonRoot",
      "        {{- with .Values.operator.tolerations }}\n        {{- toYaml . | nindent 8 }}\n        {{- end }}\n      securityContext:\n        runAsNonRoot",
    ],
    [
      "            - name: NODE_OPTIONS\n",
      `            {{- if .Values.distro.mode }}\n            - name: IS_OPENSHIFT\n              value: "true"\n            {{- end }}\n            - name: NODE_OPTIONS\n`,
    ],
  ]);
}

function valueTemplate(name: string): string {
  return `      {{- with .Values.operator.${name} }}\n      ${name}:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n`;
}

/** The generator fails when the bundle no longer has what it puts an expression in the place of. */
function replaceOnce(text: string, places: readonly (readonly [from: string, to: string])[]): string {
  return places.reduce((result, [from, to]) => {
    if (result.split(from).length !== 2) throw new Error(`the object has "${from}" not exactly once`);
    return result.replace(from, () => to);
  }, text);
}

/** Rules that only OpenShift needs come last in the Role. */
function withDistroRules(role: string): string {
  const extra = operatorRules("openshift").slice(operatorRules("kubernetes").length);
  const lines = yaml(extra)
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}\n`);
  return `${role}${when(".Values.distro.mode", lines.join(""))}`;
}

function when(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

/** The Roles of further namespaces outlive the release: with them the operator removes its finalizers there. */
function watchedTemplate(manifest: (objects: readonly { readonly metadata: object }[]) => string): string {
  const config = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: OPERATOR_CONFIG, labels: { app: APP_LABEL } },
    data: {
      [WATCHED_NAMESPACES]: '{{ join "," .Values.watch.namespaces }}',
      [WATCHED_LABEL]: "{{ .Values.watch.label }}",
    },
  };
  const [role, binding] = watchGrants("{{ $.Release.Namespace }}", "{{ . }}", "kubernetes").map((object) =>
    manifest([object]),
  );
  const kept = (text = ""): string =>
    replaceOnce(text, [["  annotations:\n", "  annotations:\n    helm.sh/resource-policy: keep\n"]]);
  const plain = withDistroRules(kept(role)).replaceAll(".Values.distro", "$.Values.distro");
  return (
    when("or .Values.watch.namespaces .Values.watch.label", manifest([config])) +
    `{{- range .Values.watch.namespaces }}\n---\n${plain}---\n${kept(binding)}{{- end }}\n` +
    when(".Values.watch.label", `---\n${manifest(watchedByLabelAccess(NAMESPACE).filter(hasMetadata))}`)
  );
}

/** A configuration that an operator of a release before 0.4.0 has made is not of this chart: it stays as it is, and goes with the ClusterRole. */
function admissionTemplate(manifest: (objects: readonly { readonly metadata: object }[]) => string): string {
  const { apiVersion, kind, metadata } = emptyConfiguration();
  const access = admissionAccess(NAMESPACE)
    .filter(hasMetadata)
    .filter((object) => !("kind" in object && object.kind === kind));
  const found = `{{- $found := lookup "${apiVersion}" "${kind}" "" "${metadata.name}" }}\n`;
  const isOurs = 'eq (dig "metadata" "annotations" "meta.helm.sh/release-name" "" $found) .Release.Name';
  return `${manifest(access)}${found}${when(`or (not $found) (${isOurs})`, `---\n${manifest([emptyConfiguration()])}`)}`;
}

/** The ready Roles for people: those that name no Secret once, the others for each cluster. Who gets them is bound by hand. */
function peopleTemplate(): string {
  const roles = PERSON_ROLES.map((role) => {
    const clusters = namesSecrets(role) ? ["{{ . }}"] : [];
    const text = personRoleObjects(role, { clusters, secrets: [] })
      .map((object) => `---\n${yaml(object)}`)
      .join("");
    return namesSecrets(role) ? `{{- range .Values.people.clusters }}\n${text}{{- end }}\n` : text;
  });
  return when(".Values.people.roles", roles.join(""));
}

function hasMetadata(object: object): object is { readonly metadata: object } {
  return "metadata" in object;
}

const NOTES = `The operator {{ .Chart.AppVersion }} is in namespace {{ .Release.Namespace }}.

  ${getObjects(`deployment ${OPERATOR_NAME} -n`)} {{ .Release.Namespace }}

It makes clusters of StoreEnterpriseCluster objects; after an upgrade of the operator, upgrade them next: docs/upgrades.md.
The definitions of our kinds, and with them every cluster and database, stay when this release is uninstalled.
`;
