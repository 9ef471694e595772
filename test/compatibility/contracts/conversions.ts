/** A change that readers of the other release would stumble over, and what keeps them from it. */
export interface Conversion {
  /** Part of the sentences about it. */
  readonly about: string;
  /** The file that reads what an older release writes. */
  readonly by: string;
  /** What becomes of programs of the older release that read what this checkout writes. */
  readonly olderReaders: string;
}

const OPERATOR_FIRST =
  "none reads it: the operator is upgraded before the first node, and the rigger and older nodes read other fields";
const KEEP = "an older node keeps fields that it does not know";
const ONE_IMAGE = "none reads it: agent and proxy are of one image, and other nodes may not send this command";

/** Every one that was made on purpose. */
export const CONVERSIONS: readonly Conversion[] = [
  { about: ".shard_list[]:", by: "src/ports/management/databases.ts", olderReaders: OPERATOR_FIRST },
  { about: "answer of GET /v1/actions:", by: "src/ports/management/answer.ts", olderReaders: OPERATOR_FIRST },
  {
    about: "spec.shardCount: what leaves it out",
    by: "src/core/planner/database/plan.ts",
    olderReaders: "an operator of an older release has its own definitions, which fill in 1, and makes no other number",
  },
  { about: "database.engineParameters:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  { about: "database.durability:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  { about: "database.withoutInSync:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  { about: "database.tlsMode:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  { about: "database.passwordOverlap:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  { about: "database.shardsPlacement:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  { about: "database.proxyPolicy:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  { about: "database.parallelShards:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  { about: "database.ossCluster:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  { about: "database.upgradePolicy:", by: "src/core/api/settings/fields.ts", olderReaders: KEEP },
  {
    about: "record of a database.recovery:",
    by: "src/core/records/stored-database.ts",
    olderReaders: "they read it as before: of a database with one shard, and they know no other, that field is written",
  },
  { about: "node.capabilities:", by: "src/programs/agent/members/node-report.ts", olderReaders: KEEP },
  { about: "node.setAside:", by: "src/programs/agent/members/node-report.ts", olderReaders: KEEP },
  { about: "(lease).until", by: "src/programs/proxy/proxy-endpoints.ts", olderReaders: ONE_IMAGE },
  { about: "(configure).endpoints[]", by: "src/programs/agent/api/cluster/proxy-command.ts", olderReaders: ONE_IMAGE },
  {
    about: "(quiet).op:",
    by: "src/programs/agent/switchover/open.ts",
    olderReaders: "an older node refuses the command, and what its endpoints do is found out by the hold, as before",
  },
  {
    about: "command(confirm).op:",
    by: "src/programs/agent/node/in-sync.ts",
    olderReaders: "an older node is not asked: while one is a member, replies wait for no replica",
  },
  {
    about: "command(logins).op:",
    by: "src/core/planner/database/engine-rotation.ts",
    olderReaders: "an older node is not asked: while one is a member, engines are open to it, and no rotation begins",
  },
  {
    about: "command(passwords).op:",
    by: "src/programs/agent/api/databases/await-endpoints.ts",
    olderReaders:
      "an older node is not asked: it does not report the capability, and the leader logs in at its endpoints",
  },
  {
    about: "command(closed).op:",
    by: "src/core/planner/database/site-gate.ts",
    olderReaders: "an older node is not asked: while one is a member, no database becomes a site",
  },
  {
    about: "(scripts).op:",
    by: "src/programs/agent/node/other-proxies.ts",
    olderReaders:
      "an older node is not asked: it does not report the capability, and scripts of its clients stay its own",
  },
  ...["command(clients).op:", "message of the proxy.ready:"].map((about) => ({
    about,
    by: "src/programs/agent/node/other-proxies.ts",
    olderReaders: "an older node is not asked for its clients: it does not report the capability",
  })),
  {
    about: "-table).op:",
    by: "src/programs/agent/api/databases/shard-checks.ts",
    olderReaders: "an older node is not asked: while one is a member, no database may get another number of shards",
  },
  {
    about: "engineParameters.",
    by: "src/core/api/settings/parameter-table.ts",
    olderReaders: "an older leader refuses a larger value by its name, and reads it in a record",
  },
  {
    about: ".status.lastTaskUid:",
    by: "src/core/api/active-active.ts",
    olderReaders: "none reads it: no release has set it",
  },
];
