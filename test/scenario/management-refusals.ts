/** A request that the management API refuses. */
export interface Refused {
  readonly rule: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  readonly code: string;
  readonly says: RegExp;
}

/** The least that makes a database. */
export const good = { name: "second", memory_size: 10_000_000 };
/** What is refused, on a cluster of one node whose database 1 is "first" at 7.4 on port 12000. */
export const refused: readonly Refused[] = [
  at("an unknown path", "GET", "/v1/nothing", 404, "not_found", /GET \/v1\/nothing is no operation/),
  at(
    "a method that the path does not have",
    "PATCH",
    "/v1/bdbs/1",
    405,
    "method_not_allowed",
    /DELETE, GET, HEAD, PUT/,
  ),
  at("a read of what can only be done", "GET", "/v1/bdbs/1/upgrade", 405, "method_not_allowed", /takes POST, not GET/),
  at("a path that is no UTF-8", "GET", "/v1/bdbs/%ff", 400, "bad_request", /valid url/),
  at("a uid that is no number", "GET", "/v1/bdbs/first", 404, "db_not_exist", /no database first/),
  at("an upgrade of an unknown database", "POST", "/v1/bdbs/99/upgrade", 404, "db_not_exist", /no database 99/, {
    store_version: "8.0",
  }),
  at("the deletion of an unknown database", "DELETE", "/v1/bdbs/99", 404, "db_not_exist", /no database 99/),
  at("an unknown database", "GET", "/v1/bdbs/99", 404, "db_not_exist", /no database 99/),
  at("an unknown node", "POST", "/v1/nodes/9/actions/maintenance_on", 404, "node_not_found", /no node 9/),
  at("an unknown action", "GET", "/v1/actions/x", 404, "action_not_found", /no action x/),
  at("a body that is no JSON", "POST", "/v1/bdbs", 400, "bad_request", /no JSON/, "{"),
  at("JSON that is cut off", "POST", "/v1/bdbs", 400, "bad_request", /no JSON/, '{"name":"second","memory_size":1'),
  at("a list for an object", "POST", "/v1/bdbs", 400, "bad_request", /expected object/, [good]),
  at("a text for a number", "POST", "/v1/bdbs", 400, "bad_request", /^memory_size: /, {
    ...good,
    memory_size: "100MB",
  }),
  at("a number for a version", "POST", "/v1/bdbs/1/upgrade", 406, "invalid_version", /7\.4, 8\.0/, {
    store_version: 8.0,
  }),
  at("a port outside the range", "POST", "/v1/bdbs", 400, "bad_request", /^port: .*10000/, { ...good, port: 80 }),
  at("a fraction of a shard", "POST", "/v1/bdbs", 406, "invalid_sharding", /expected int/, {
    ...good,
    shards_count: 0.5,
  }),
  at(
    "a field that is another's",
    "POST",
    "/v1/bdbs",
    400,
    "bad_request",
    /"__proto__"/,
    '{"__proto__":{},"name":"x","memory_size":10000000}',
  ),
  at("a missing name", "POST", "/v1/bdbs", 400, "bad_request", /^name: /, { memory_size: 10_000_000 }),
  at("a name that is none", "POST", "/v1/bdbs", 400, "bad_request", /^name: .*letters/, { ...good, name: "a b" }),
  at("an unknown field", "POST", "/v1/bdbs", 400, "bad_request", /"colour"/, { ...good, colour: "red" }),
  at("too little memory", "POST", "/v1/bdbs", 400, "bad_request", /^memory_size: /, { ...good, memory_size: 1 }),
  at("an unknown policy, with those that exist", "POST", "/v1/bdbs", 400, "bad_request", /allkeys-lru.*volatile-ttl/, {
    ...good,
    eviction_policy: "sometimes",
  }),
  at("a body where none is read", "POST", "/v1/nodes/1/actions/maintenance_off", 400, "bad_request", /no body/, {}),
  at(
    "an unknown version, with those of this release",
    "POST",
    "/v1/bdbs",
    406,
    "invalid_version",
    /7\.2, 7\.4, 8\.0, 8\.2/,
    {
      ...good,
      redis_version: "9.9",
    },
  ),
  at(
    "an upgrade to an unknown version",
    "POST",
    "/v1/bdbs/1/upgrade",
    406,
    "invalid_version",
    /7\.2, 7\.4, 8\.0, 8\.2/,
    {
      store_version: "6.0",
    },
  ),
  at("a downgrade", "POST", "/v1/bdbs/1/upgrade", 406, "invalid_version", /never go back to 7\.2/, {
    store_version: "7.2",
  }),
  at("shards without room", "POST", "/v1/bdbs", 400, "bad_request", /2 shards need at least 40 MB together/, {
    ...good,
    shards_count: 2,
  }),
  at(
    "more shards than its memory has room for",
    "PUT",
    "/v1/bdbs/1",
    400,
    "bad_request",
    /2 shards need at least 40 MB together/,
    {
      shards_count: 2,
    },
  ),
  at(
    "slots that two shards would have",
    "PUT",
    "/v1/bdbs/1",
    400,
    "bad_request",
    /shard_slots: slot 9 is named twice/,
    {
      shard_slots: ["0-9", "9-16383"],
    },
  ),
  at("slots of another number of shards", "POST", "/v1/bdbs", 400, "bad_request", /2 entries, and shards_count is 3/, {
    ...good,
    shards_count: 3,
    shard_slots: ["0-9", "10-16383"],
  }),
  at("shards in two ways", "POST", "/v1/bdbs", 406, "invalid_sharding", /sharding is true, and .* one shard/, {
    ...good,
    sharding: true,
  }),
  at("a port that is taken", "POST", "/v1/bdbs", 406, "port_unavailable", /12000 belongs to database 1/, {
    ...good,
    port: 12_000,
  }),
  at("a replica without a second node", "POST", "/v1/bdbs", 406, "invalid_replication", /node 1 already holds/, {
    ...good,
    replication: true,
  }),
  at("a name that is taken", "POST", "/v1/bdbs", 409, "name_exists", /database 1 has the name/, {
    ...good,
    name: "first",
  }),
  at(
    "more memory than there is",
    "POST",
    "/v1/bdbs",
    406,
    "insufficient_resources",
    /has room for a database of \d+ MB, and this one has 4000000 MB/,
    {
      ...good,
      memory_size: 4_000_000_000_000,
    },
  ),
  at("another port for a database", "PUT", "/v1/bdbs/1", 406, "config_not_acceptable", /cannot be changed/, {
    port: 12_001,
  }),
  at("another version by PUT", "PUT", "/v1/bdbs/1", 406, "config_not_acceptable", /\/v1\/bdbs\/1\/upgrade/, {
    redis_version: "8.0",
  }),
];

function at(
  rule: string,
  method: string,
  path: string,
  status: number,
  code: string,
  says: RegExp,
  body?: unknown,
): Refused {
  return { rule, method, path, status, code, says, body };
}
