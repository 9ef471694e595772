import { describeObject, getObjects, nodeLog } from "../../core/api/kubectl.ts";
import { LABELS, NODE_CONTAINER } from "../../core/api/names.ts";
import type { FaultSpec } from "#kit/base/fault";
import { placeholder } from "#kit/base/shell-word";

/** What can go wrong inside an agent; refusals of its management API are in refusals.ts. */
export const faults = {
  badConfig: {
    code: "AGENT_BAD_CONFIG",
    retry: "never",
    remedy: `Correct the environment of the container ${NODE_CONTAINER}: ${getObjects(placeholder("sts <rec> -o yaml"))}.`,
  },
  tooFewFiles: {
    code: "AGENT_TOO_FEW_FILES",
    retry: "never",
    remedy:
      "Raise the limit of the container runtime (`LimitNOFILE=` of containerd's unit, `default-ulimits` of Docker).",
  },
  dataNotWritable: {
    code: "AGENT_DATA_NOT_WRITABLE",
    retry: "backoff",
    remedy: `Use a storage class whose volumes take fsGroup, or let user 1001 write the folder of the volume: ${describeObject("pv")}.`,
  },
  badRecord: {
    code: "AGENT_BAD_RECORD",
    retry: "backoff",
    remedy: `Compare the record with another one: ${getObjects(`configmap -l ${LABELS.record} -o yaml`)}.`,
  },
  placeTaken: {
    code: "AGENT_PLACE_TAKEN",
    retry: "backoff",
    remedy: "The leader chooses another port. Ask again for a database that was to be made.",
  },
  badSecretFile: {
    code: "AGENT_BAD_SECRET_FILE",
    retry: "backoff",
    remedy: `Check the secrets that the pod mounts: ${describeObject(placeholder("pod <rec>-<n>"))}.`,
  },
  noPassword: {
    code: "AGENT_NO_PASSWORD",
    retry: "backoff",
    remedy:
      "Create the secret again with the key `password`. Until then, engines keep the password that they started with.",
  },
  secretNotGranted: {
    code: "AGENT_SECRET_NOT_GRANTED",
    retry: "backoff",
    remedy: `The operator adds the name to the Role of the nodes when it runs: ${getObjects("deployment store-enterprise-operator")}.`,
  },
  proxyGone: {
    code: "AGENT_PROXY_GONE",
    retry: "backoff",
    remedy: "The proxy of the node is starting again; try again in a second.",
  },
  parametersNotKept: {
    code: "AGENT_PARAMETERS_NOT_KEPT",
    retry: "backoff",
    remedy: `Repeat CONFIG SET in a few seconds; the log of the node says why: ${nodeLog()}.`,
  },
  backupGone: {
    code: "AGENT_BACKUP_GONE",
    retry: "backoff",
    remedy: "Begin it anew under the same name: what it has left is removed then.",
  },
  backupQuestions: {
    code: "AGENT_BACKUP_QUESTIONS",
    retry: "backoff",
    remedy:
      "Ask again in some seconds, and not for many backups at once: look at the object store when that does not help.",
  },
  backupNoRoom: {
    code: "AGENT_BACKUP_NO_ROOM",
    retry: "backoff",
    remedy: "Make room on the node that leads: memory for its engines, or a larger volume. It is tried again.",
  },
  backupUnfit: {
    code: "AGENT_BACKUP_UNFIT",
    retry: "never",
    remedy: "Make the database as the backup is: its number of shards, its memory, and a version that reads its files.",
  },
  backupNoEngine: {
    code: "AGENT_BACKUP_NO_ENGINE",
    retry: "backoff",
    remedy:
      "Upgrade the cluster to a release that has such an engine; `readable_from` names those that read the files.",
  },
  backupDiffers: {
    code: "AGENT_BACKUP_DIFFERS",
    retry: "never",
    remedy: "Take another backup, and report this one: an engine has loaded something else than was saved.",
  },
  moverAwaited: {
    code: "AGENT_MOVER_AWAITED",
    retry: "backoff",
    remedy: "The node reads the record and starts the mover; try again in a second.",
  },
  moverGone: {
    code: "AGENT_MOVER_GONE",
    retry: "backoff",
    remedy: "The leader lets the copy begin anew.",
  },
  linkGone: {
    code: "AGENT_LINK_GONE",
    retry: "backoff",
    remedy: "The link of the node is starting again; try again in a second.",
  },
  linkRefused: {
    code: "AGENT_LINK_REFUSED",
    retry: "backoff",
    remedy: "Read the message of the link; what it serves stays as it was.",
  },
  proxyRefused: {
    code: "AGENT_PROXY_REFUSED",
    retry: "backoff",
    remedy: "Read the message of the proxy; the endpoints stay as they were.",
  },
  switchoverRefused: {
    code: "AGENT_SWITCHOVER_REFUSED",
    retry: "backoff",
    remedy: "The message names the gate that is closed; the leader tries again.",
  },
  notCaughtUp: {
    code: "AGENT_NOT_CAUGHT_UP",
    retry: "backoff",
    remedy:
      "The old primary goes on, and the leader tries again. It succeeds sooner with less write load or a larger node.",
  },
  moveObstructed: {
    code: "AGENT_MOVE_OBSTRUCTED",
    retry: "backoff",
    remedy: `Do what the finding of the database says; the move goes on then: ${getObjects(placeholder("redb <name> -o yaml"))}.`,
  },
  recordLate: {
    code: "AGENT_RECORD_LATE",
    retry: "backoff",
    remedy:
      "The Kubernetes API does not answer. What a switchover has begun goes on, and the record follows when the API answers.",
  },
  holdsTooOld: {
    code: "AGENT_HOLDS_TOO_OLD",
    retry: "backoff",
    remedy:
      "The leader was suspended or slow in the middle of a switchover, so that holds might end before the release. The old primary goes on, and the leader tries again.",
  },
  notFenced: {
    code: "AGENT_NOT_FENCED",
    retry: "backoff",
    remedy: "Wait until the lease of its node has expired, or end the engine process. Then a replica takes over.",
  },
  superseded: {
    code: "AGENT_SUPERSEDED",
    retry: "never",
    remedy: "The pod of this node runs elsewhere now. End what is left of the old pod on its machine.",
  },
  notAReplica: {
    code: "AGENT_NOT_A_REPLICA",
    retry: "backoff",
    remedy: "Wait until the replica is attached (`GET /v1/bdbs/<uid>` shows in_sync); the leader tries again.",
  },
  engineUnclear: {
    code: "AGENT_ENGINE_UNCLEAR",
    retry: "backoff",
    remedy: "Check what listens there: `redis-cli -h <host> -p <port> INFO`.",
  },
  recordMoved: {
    code: "AGENT_RECORD_MOVED",
    retry: "backoff",
    remedy: "Another leader or the management API changed the record meanwhile. The leader decides again.",
  },
  moveNotDone: {
    code: "AGENT_MOVE_NOT_DONE",
    retry: "backoff",
    remedy: "The message names what it waits for; the leader tries again.",
  },
} as const satisfies Record<string, FaultSpec>;
