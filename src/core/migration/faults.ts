import type { FaultSpec } from "#kit/base/fault";

/** What keeps the data of another service from coming into a database. */
export const faults = {
  notReady: {
    code: "MIGRATION_NOT_READY",
    retry: "backoff",
    remedy: "Wait until the database is active, and has an endpoint: storectl databases.",
  },
  badUri: {
    code: "MIGRATION_BAD_URI",
    retry: "never",
    remedy: "Write redis://host:port or rediss://host:port, with user@ before the host where the service has users.",
  },
  sourceVersion: {
    code: "MIGRATION_SOURCE_VERSION",
    retry: "never",
    remedy: "Upgrade the source to Redis 7.0 or later, or to Valkey, and give the same command again.",
  },
  sourceRole: {
    code: "MIGRATION_SOURCE_ROLE",
    retry: "never",
    remedy: "Name the primary: the message has its address. Writes are paused there at the end.",
  },
  sourceCluster: {
    code: "MIGRATION_SOURCE_CLUSTER",
    retry: "never",
    remedy:
      "This release takes data from a service of one primary. Save it and load the files, or wait for a later release.",
  },
  sourceDenies: {
    code: "MIGRATION_SOURCE_DENIES",
    retry: "never",
    remedy:
      "Give a user of the source the right: ACL SETUSER <user> +psync +replconf +client|pause +client|unpause +config|set +config|get. A service that has taken the command away cannot be followed.",
  },
  sourceModules: {
    code: "MIGRATION_SOURCE_MODULES",
    retry: "never",
    remedy:
      "Unload them at the source if nothing uses them: MODULE UNLOAD <name>. Their data have a form of their own.",
  },
  newerData: {
    code: "MIGRATION_NEWER_DATA",
    retry: "never",
    remedy:
      "Choose a later version for the database: spec.storeVersion. An engine does not read what a later one has written.",
  },
  tooLarge: {
    code: "MIGRATION_TOO_LARGE",
    retry: "never",
    remedy: "Give the database more memory: spec.memorySize. Then give the same command again.",
  },
  databases: {
    code: "MIGRATION_DATABASES",
    retry: "never",
    remedy:
      "Lead the source into a database of one shard, which has numbered databases, or empty those that the message names.",
  },
  notEmpty: {
    code: "MIGRATION_NOT_EMPTY",
    retry: "never",
    remedy: "Name an empty database, or give --replace, which deletes what is in it before it begins.",
  },
  sourceGone: {
    code: "MIGRATION_SOURCE_GONE",
    retry: "backoff",
    remedy:
      "Give the same command again with --replace: it begins anew. When the source ended the connection, raise client-output-buffer-limit replica there: what is written during the copy waits in it.",
  },
  refusedWrite: {
    code: "MIGRATION_REFUSED_WRITE",
    retry: "never",
    remedy: "Mend what the message says, for instance more memory for the database, and begin anew with --replace.",
  },
  endpointGone: {
    code: "MIGRATION_ENDPOINT_GONE",
    retry: "backoff",
    remedy: "Look at the database: storectl why redb <database>. Then begin anew with --replace.",
  },
  crossing: {
    code: "MIGRATION_CROSSES_SLOTS",
    retry: "never",
    remedy: "Lead the source into a database of one shard: its clients use keys of several slots in one command.",
  },
  unknownCommand: {
    code: "MIGRATION_UNKNOWN_COMMAND",
    retry: "never",
    remedy:
      "This release does not know what the command does to keys. Stop using it during the migration, and begin anew with --replace.",
  },
  valueTooLarge: {
    code: "MIGRATION_VALUE_TOO_LARGE",
    retry: "never",
    remedy: "Split the value: an endpoint takes 512 MiB in one piece. Then begin anew with --replace.",
  },
  notAgreed: {
    code: "MIGRATION_NOT_AGREED",
    retry: "never",
    remedy: "Answer y at a terminal, or give --yes. With --check, storectl migrate begins nothing.",
  },
  mayRefuse: {
    code: "MIGRATION_SOURCE_MAY_REFUSE",
    retry: "backoff",
    remedy: "Run the line of the message at the source, so that it takes writes again, and begin anew with --replace.",
  },
  left: {
    code: "MIGRATION_LEFT",
    retry: "backoff",
    remedy: "The source goes on, and the database keeps what was copied. Begin anew with --replace.",
  },
  notInTime: {
    code: "MIGRATION_NOT_IN_TIME",
    retry: "backoff",
    remedy: "The source goes on as before. Try at a time of fewer writes, or give --pause more milliseconds.",
  },
} as const satisfies Record<string, FaultSpec>;
