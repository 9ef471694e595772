import type { FaultSpec } from "#kit/base/fault";

/** What can go wrong with engines. */
export const faults = {
  noEngine: {
    code: "SUPERVISOR_NO_ENGINE",
    retry: "never",
    remedy:
      "Install redis-server or valkey-server, or name a folder of engines in STORE_ENGINES_DIR; `npm run setup` fetches them.",
  },
  noCertificate: {
    code: "SUPERVISOR_NO_CERTIFICATE",
    retry: "backoff",
    remedy:
      "The operator puts it into the Secret <rec>-node-tls, keys engine.crt and engine.key: upgrade the operator first, and look that it runs.",
  },
  notReady: {
    code: "SUPERVISOR_NOT_READY",
    retry: "backoff",
    remedy: "Read engine.log in the instance's data directory: its last lines say what the engine waits for.",
  },
  runs: {
    code: "SUPERVISOR_RUNS",
    retry: "never",
    remedy: "Restore into a database that waits for its data: one that was made with awaits_data.",
  },
  hasData: {
    code: "SUPERVISOR_HAS_DATA",
    retry: "never",
    remedy: "Read the status of the database: GET /v1/bdbs/<uid>. What is on the volume is newer than the backup.",
  },
  notLoaded: {
    code: "SUPERVISOR_NOT_LOADED",
    retry: "never",
    remedy: "The engine says why in the message. Take another backup.",
  },
  loadTooLarge: {
    code: "SUPERVISOR_LOAD_TOO_LARGE",
    retry: "backoff",
    remedy: "Give the nodes more memory, or let a node with more room lead.",
  },
  loadEnded: {
    code: "SUPERVISOR_LOAD_ENDED",
    retry: "backoff",
    remedy: "It is tried again. When it happens again, look at the memory and the load of the worker of the node.",
  },
} as const satisfies Record<string, FaultSpec>;
