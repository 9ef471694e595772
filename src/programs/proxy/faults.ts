import type { FaultSpec } from "#kit/base/fault";

/** The errors of the proxy, in its replies to the agent and in its log. */
export const faults = {
  epochTooLow: {
    code: "PROXY_EPOCH_TOO_LOW",
    retry: "never",
    remedy: "Read the record of the database again: its primary has changed since.",
  },
  notDrained: {
    code: "PROXY_NOT_DRAINED",
    retry: "backoff",
    remedy: "Clients continue at the old primary. Try again when the slow command has ended: redis-cli SLOWLOG GET 10.",
  },
  unknownEndpoint: {
    code: "PROXY_UNKNOWN_ENDPOINT",
    retry: "never",
    remedy: "Send configure with this database first.",
  },
  unknownShard: {
    code: "PROXY_UNKNOWN_SHARD",
    retry: "never",
    remedy: "Read the record of the database again: the shard is not one of its shards.",
  },
  slotTable: {
    code: "PROXY_SLOT_TABLE",
    retry: "never",
    remedy:
      "Read the record of the database again: each slot must have one shard, and other shards begin with a higher epoch of the table.",
  },
  notPrepared: {
    code: "PROXY_TARGET_UNREACHABLE",
    retry: "backoff",
    remedy: "Check that the engine of the primary-to-be runs and accepts the database's password.",
  },
  setNotKnown: {
    code: "PROXY_SET_NOT_KNOWN",
    retry: "backoff",
    remedy: "The node has not read the newest record of the database yet: check that it reaches the Kubernetes API.",
  },
  loginNotKnown: {
    code: "PROXY_LOGIN_NOT_KNOWN",
    retry: "backoff",
    remedy: "The node has not read the newest record of the database yet: check that it reaches the Kubernetes API.",
  },
  passwordsNotKnown: {
    code: "PROXY_PASSWORDS_NOT_KNOWN",
    retry: "backoff",
    remedy: "The node has not read the newest record of the database yet: check that it reaches the Kubernetes API.",
  },
  parameterDefined: {
    code: "PROXY_PARAMETER_DEFINED",
    retry: "never",
    remedy: "Change the parameter in the definition of the database, or take it out there.",
  },
  parametersNotAnswered: {
    code: "PROXY_PARAMETERS_NOT_ANSWERED",
    retry: "backoff",
    remedy: "Repeat CONFIG SET: it does no harm when it was done.",
  },
  parametersNotApplied: {
    code: "PROXY_PARAMETERS_NOT_APPLIED",
    retry: "backoff",
    remedy: "Repeat CONFIG SET in a moment: the node of the primary applies it when it reads the record.",
  },
  letsClientsIn: {
    code: "PROXY_LETS_CLIENTS_IN",
    retry: "backoff",
    remedy: "The node has not read the newest record of the database yet: check that it reaches the Kubernetes API.",
  },
  receiverNotReady: {
    code: "PROXY_RECEIVER_NOT_READY",
    retry: "backoff",
    remedy: "Repeat CLIENT TRACKING in a moment: proxies learn of a new primary one after another.",
  },
  cannotListen: {
    code: "PROXY_CANNOT_LISTEN",
    retry: "backoff",
    remedy: "Another process holds the port, or this machine does not have the address: ss -ltnp.",
  },
  badCertificate: {
    code: "PROXY_BAD_CERTIFICATE",
    retry: "never",
    remedy: "Give the database another certificate: spec.certificateSecretName, or none for one of the cluster.",
  },
  badCommand: {
    code: "PROXY_BAD_COMMAND",
    retry: "never",
    remedy: "Agent and proxy must be of the same release.",
  },
  badRequest: {
    code: "PROXY_BAD_REQUEST",
    retry: "never",
    remedy: "The client does not speak RESP: check that it is a redis client and does not use TLS here.",
  },
  failed: {
    code: "PROXY_FAILED",
    retry: "backoff",
    remedy: "Look for the cause in the log of the proxy and report it.",
  },
} as const satisfies Record<string, FaultSpec>;
