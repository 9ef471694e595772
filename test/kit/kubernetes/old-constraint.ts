import { APP_LABEL, OLD_CONSTRAINT } from "../../../src/core/api/names.ts";
import { yaml } from "../../../src/core/releases/bundle/bundle.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";

/**
 * The file of the security context constraint that nodes of a privileged release need on OpenShift (§2.1); undefined for
 * releases from 7.22.0-6 on, which need none (§9).
 */
export function constraintFor(release: Release): string | undefined {
  if (release.security === "unprivileged") return undefined;
  return yaml({
    apiVersion: "security.openshift.io/v1",
    kind: "SecurityContextConstraints",
    metadata: { name: OLD_CONSTRAINT, labels: { app: APP_LABEL } },
    allowPrivilegedContainer: false,
    allowPrivilegeEscalation: true,
    allowedCapabilities: ["SYS_RESOURCE"],
    allowHostDirVolumePlugin: false,
    allowHostIPC: false,
    allowHostNetwork: false,
    allowHostPID: false,
    allowHostPorts: false,
    readOnlyRootFilesystem: false,
    runAsUser: { type: "MustRunAs", uid: 1001 },
    fsGroup: { type: "MustRunAs", ranges: [{ min: 1001, max: 1001 }] },
    seLinuxContext: { type: "MustRunAs" },
    seccompProfiles: ["runtime/default"],
    supplementalGroups: { type: "RunAsAny" },
    volumes: ["configMap", "downwardAPI", "emptyDir", "persistentVolumeClaim", "projected", "secret"],
  });
}
