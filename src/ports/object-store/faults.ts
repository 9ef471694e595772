import type { FaultSpec } from "#kit/base/fault";

/** Why an object store did not do what it was asked for. */
export const faults = {
  credentials: {
    code: "OBJECT_STORE_CREDENTIALS",
    retry: "backoff",
    remedy: "Put the right access key and its secret into the Secret that the backup names.",
  },
  forbidden: {
    code: "OBJECT_STORE_FORBIDDEN",
    retry: "backoff",
    remedy:
      "Let the access key read, write, list and delete below the folder of the backups, and end its unfinished uploads.",
  },
  region: {
    code: "OBJECT_STORE_REGION",
    retry: "backoff",
    remedy: "Name the region of the bucket, or the endpoint of its region.",
  },
  bucket: { code: "OBJECT_STORE_BUCKET", retry: "backoff", remedy: "Create the bucket, or name another one." },
  clock: {
    code: "OBJECT_STORE_CLOCK",
    retry: "backoff",
    remedy: "Set the clock of the worker of the node, or of the object store: they are too far apart.",
  },
  full: { code: "OBJECT_STORE_FULL", retry: "backoff", remedy: "Make room in the object store, or raise its quota." },
  exists: {
    code: "OBJECT_STORE_EXISTS",
    retry: "never",
    remedy: "Choose another name: nothing that is there is ever overwritten.",
  },
  missing: {
    code: "OBJECT_STORE_MISSING",
    retry: "never",
    remedy: "List what is there: the object may have been deleted.",
  },
  upload: {
    code: "OBJECT_STORE_UPLOAD",
    retry: "backoff",
    remedy: "Look who removes unfinished uploads: a rule of the bucket must leave them for a day.",
  },
  certificate: {
    code: "OBJECT_STORE_CERTIFICATE",
    retry: "backoff",
    remedy:
      "Give the authority that signed the certificate of the object store, and the name that it shows as the endpoint.",
  },
  unreachable: {
    code: "OBJECT_STORE_UNREACHABLE",
    retry: "backoff",
    remedy: "Let the nodes connect to the endpoint of the object store: DNS, network policies, proxies.",
  },
  noStore: {
    code: "OBJECT_STORE_NOT_ONE",
    retry: "backoff",
    remedy:
      "Look what stands between the nodes and the object store: a proxy that asks for a login, or an endpoint that leads to a web page.",
  },
  busy: { code: "OBJECT_STORE_BUSY", retry: "backoff", remedy: "Wait: the object store cannot answer at the moment." },
  other: {
    code: "OBJECT_STORE_FAILED",
    retry: "backoff",
    remedy: "Look at the log of the object store: its answer is in the message.",
  },
  tooLong: {
    code: "OBJECT_STORE_TOO_LONG",
    retry: "never",
    remedy: "Look at the object: it is none that this product wrote.",
  },
} as const satisfies Record<string, FaultSpec>;
