import assert from "node:assert/strict";
import { test } from "node:test";
import { reportedEngine, parseInfo, replicationView } from "./info.ts";

for (const [name, text, wanted] of [
  ["redis reports its own version", "redis_version:8.0.2\r\n", { family: "redis", version: "8.0.2" }],
  [
    "valkey is known by its own version, not by the redis version it reports too",
    "redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\n",
    { family: "valkey", version: "8.1.1" },
  ],
  [
    "redict is known by its own version",
    "redis_version:7.2.4\r\nredict_version:7.3.6\r\n",
    { family: "redict", version: "7.3.6" },
  ],
  ["a text without version names no engine", "# Server\r\nuptime_in_seconds:3\r\n", undefined],
] as const) {
  test(name, () => {
    assert.deepEqual(reportedEngine(parseInfo(`# Server\r\n${text}`)), wanted);
  });
}

test("a primary shows its replicas with state, offset and lag", () => {
  const view = replicationView(
    parseInfo(
      "role:master\r\nconnected_slaves:2\r\nslave0:ip=127.0.0.3,port=20001,state=online,offset=140,lag=1\r\n" +
        "slave1:ip=127.0.0.4,port=20002,state=wait_bgsave,offset=0,lag=0,type=main-channel\r\n" +
        "master_replid:ab\r\nmaster_repl_offset:154\r\n",
    ),
  );
  assert.deepEqual(view, {
    role: "primary",
    replicationId: "ab",
    offset: 154,
    replicas: [
      { host: "127.0.0.3", port: 20001, state: "online", offset: 140, lagSeconds: 1 },
      { host: "127.0.0.4", port: 20002, state: "wait_bgsave", offset: 0, lagSeconds: 0 },
    ],
  });
});

test("a replica shows what it has applied and the state of its link", () => {
  const view = replicationView(
    parseInfo(
      "role:slave\r\nmaster_host:127.0.0.2\r\nmaster_port:20001\r\nmaster_link_status:down\r\n" +
        "master_sync_in_progress:1\r\nslave_repl_offset:99\r\nmaster_replid:ab\r\nmaster_repl_offset:120\r\n" +
        "repl_backlog_first_byte_offset:90\r\nrepl_backlog_histlen:9\r\n",
    ),
  );
  assert.deepEqual(view, {
    role: "replica",
    replicationId: "ab",
    offset: 99,
    replicas: [],
    link: { status: "down", host: "127.0.0.2", port: 20001, syncing: true, receivedBytes: 9 },
  });
});

test("a text without role has no replication view", () => {
  assert.equal(replicationView(parseInfo("# Replication\r\n")), undefined);
});

test("a field that stands in several sections is the last one, whole and by its whole name", () => {
  const info = parseInfo(
    "# Server\r\nport:1\r\ntcp_port:2\r\nempty:\r\nwords:a b: c \r\n\r\n# Other\r\nport:3\r\nlast:4",
  );
  const names = ["port", "tcp_port", "empty", "words", "last", "Server", "ort"];
  assert.deepEqual(
    names.map((name) => info.get(name)),
    ["3", "2", "", "a b: c ", "4", undefined, undefined],
  );
  assert.deepEqual(Object.fromEntries(info.entries()), {
    port: "3",
    tcp_port: "2",
    empty: "",
    words: "a b: c ",
    last: "4",
  });
});
