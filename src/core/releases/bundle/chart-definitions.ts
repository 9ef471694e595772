import { KINDS } from "../../api/kinds.ts";
import { API_GROUP } from "../../api/names.ts";
import { yaml } from "./bundle.ts";

const NAME = "store-enterprise-definitions";
const RBAC = "rbac.authorization.k8s.io";

/**
 * What runs before an install or upgrade by Helm, and is gone after it: Helm itself never changes a definition that is
 * there. A rollback and an uninstall run none of it, so that definitions never become older and never go.
 */
export function definitionsJob(labels: Readonly<Record<string, string>>): string {
  const names = Object.values(KINDS).map(({ plural }) => `${plural}.${API_GROUP}`);
  const resources = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };
  const objects = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: meta(labels, "-20") },
    {
      apiVersion: `${RBAC}/v1`,
      kind: "ClusterRole",
      metadata: meta(labels, "-20"),
      rules: [
        { ...resources, verbs: ["create"] },
        { ...resources, resourceNames: names, verbs: ["get", "patch"] },
      ],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: "ClusterRoleBinding",
      metadata: meta(labels, "-15"),
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: NAME },
      subjects: [{ kind: "ServiceAccount", name: NAME, namespace: "{{ .Release.Namespace }}" }],
    },
  ];
  return `{{- if .Values.definitions.apply }}\n${objects.map(yaml).join("---\n")}---\n${job(labels)}{{- end }}\n`;
}

function meta(labels: Readonly<Record<string, string>>, weight: string) {
  return {
    name: NAME,
    labels,
    annotations: {
      "helm.sh/hook": "pre-install,pre-upgrade",
      "helm.sh/hook-weight": weight,
      "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
    },
  };
}

const CONTAINER = {
  name: "definitions",
  image: "IMAGE",
  args: ["definitions"],
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "256Mi" } },
  terminationMessagePolicy: "FallbackToLogsOnError",
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  },
};

function job(labels: Readonly<Record<string, string>>): string {
  const text = yaml({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: meta(labels, "-10"),
    spec: {
      backoffLimit: 6,
      activeDeadlineSeconds: 300,
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: NAME,
          restartPolicy: "Never",
          securityContext: { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: "RuntimeDefault" } },
          containers: [CONTAINER],
        },
      },
    },
  });
  return text
    .replace(
      "image: IMAGE\n",
      () =>
        `image: "{{ .Values.operator.image.repository }}:{{ .Values.operator.image.tag | default .Chart.AppVersion }}"\n` +
        "          {{- with .Values.operator.image.pullPolicy }}\n          imagePullPolicy: {{ . }}\n          {{- end }}\n",
    )
    .replace(
      "      containers:\n",
      () =>
        "      {{- with .Values.imagePullSecrets }}\n      imagePullSecrets:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n" +
        "      containers:\n",
    );
}
