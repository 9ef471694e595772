import type { Container, Volume } from "kubernetes-types/core/v1.js";
import { ENGINES_CONTAINER, ENGINES_UID, NODE_PATHS, NODE_UID } from "../../../core/api/names.ts";
import type { Resources } from "../../../core/planner/node/node-containers.ts";

/** The volume with the data of a node. */
export const STORAGE = "store-enterprise-storage";

const NO_TOKEN = "no-token";
/** Where Kubernetes mounts the token of a pod in each container that has no other mount there. */
const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Volumes that only nodes with a container for their engines have. */
export const enginesVolumes: Volume[] = [
  // with an emptyDir in a pod, `kubectl drain` refuses to go on
  { name: NO_TOKEN, downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
];

/**
 * The container of the engines: of the image of the node, as another user, with the data and nothing else of the node. What lies
 * where the token would be keeps Kubernetes from putting the token there.
 */
export function enginesContainer(node: Container, resources: Resources): Container {
  const { image, imagePullPolicy, securityContext } = node;
  return {
    name: ENGINES_CONTAINER,
    ...(image === undefined ? {} : { image }),
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    args: ["starter"],
    env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    resources,
    // files of both have one group, that of the volume
    securityContext: { ...securityContext, runAsUser: ENGINES_UID, runAsGroup: NODE_UID },
    volumeMounts: [
      { name: STORAGE, mountPath: NODE_PATHS.data },
      { name: NO_TOKEN, mountPath: TOKEN_PATH, readOnly: true },
    ],
  };
}
