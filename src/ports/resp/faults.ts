import type { FaultSpec } from "#kit/base/fault";

/** The errors between a client of this project and an engine. */
export const faults = {
  malformed: {
    code: "RESP_MALFORMED",
    retry: "never",
    remedy: "The peer does not speak RESP: check that host and port are those of a redis or valkey server.",
  },
  tooLarge: {
    code: "RESP_TOO_LARGE",
    retry: "never",
    remedy: "Split the command, or ask for less at a time (SCAN instead of KEYS, LRANGE with smaller ranges).",
  },
  connect: {
    code: "RESP_CONNECT",
    retry: "backoff",
    remedy: "Check that the engine process runs and listens there: redis-cli -h <host> -p <port> PING.",
  },
  noCertificate: {
    code: "RESP_NO_CERTIFICATE",
    retry: "backoff",
    remedy:
      "The operator puts it into the Secret <rec>-node-tls, keys engine.crt and engine.key: upgrade the operator first, and look that it runs.",
  },
  errorReply: {
    code: "RESP_ERROR_REPLY",
    retry: "never",
    remedy: "The engine refused the command: the first word of the message is the reason.",
  },
  timeout: {
    code: "RESP_TIMEOUT",
    retry: "backoff",
    remedy: "The engine may have executed the command: read its state before trying again.",
  },
  closed: {
    code: "RESP_CLOSED",
    retry: "backoff",
    remedy: "The engine may have executed the command: connect anew and read its state before trying again.",
  },
  unexpectedReply: {
    code: "RESP_UNEXPECTED_REPLY",
    retry: "never",
    remedy: "The reply has another type than the documentation of the engine says: check its version with INFO server.",
  },
} as const satisfies Record<string, FaultSpec>;
