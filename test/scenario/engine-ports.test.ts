import assert from "node:assert/strict";
import { once } from "node:events";
import { globSync, readFileSync, statSync } from "node:fs";
import { connect as dial } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { NODE_PATHS } from "../../src/core/api/names.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { encodeCommand } from "../../src/ports/resp/encode.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { enginesOf, internalPasswordOf } from "../kit/world/engine-access.ts";
import { nodeOf } from "../kit/world/shards.ts";
import type { BdbRecord } from "../../src/ports/management/records.ts";

/** What a tenant would like to run at an engine, past the endpoint. */
const COMMANDS = [
  ["PING"],
  ["GET", "key"],
  ["SET", "key", "value"],
  ["FLUSHALL"],
  ["INFO"],
  ["CONFIG", "GET", "*"],
  ["CONFIG", "SET", "dir", "/tmp"],
  ["ACL", "SETUSER", "mine", "on", "nopass", "+@all"],
  ["ACL", "LIST"],
  ["DEBUG", "SLEEP", "0"],
  ["MODULE", "LIST"],
  ["SCRIPT", "DEBUG", "YES"],
  ["EVAL", "return 1", "0"],
  ["REPLICAOF", "NO", "ONE"],
  ["PSYNC", "?", "-1"],
  ["MONITOR"],
  ["CLIENT", "LIST"],
  ["SHUTDOWN", "NOSAVE"],
] as const;
const SECRET = "of-the-tenant";

await using cluster = await startTestCluster();
const guarded = await make("guarded", SECRET);
const open = await make("open", "");

for (const [bdb, password] of [
  [guarded, SECRET],
  [open, ""],
] as const)
  await test(`engines of a database that is ${bdb.name} run no command of a client, whatever it gives`, async () => {
    for (const { host, port } of await enginesOf(cluster, bdb.uid))
      for (const login of loginsOf(password)) {
        const replies = await repliesOf({ host, port }, [...login, ...COMMANDS]);
        for (const reply of replies.splice(0, login.length)) assert.match(reply, /^-(WRONGPASS|NOAUTH) /);
        for (const reply of replies) assert.match(reply, /^-NOAUTH /);
        assert.equal(replies.length, COMMANDS.length);
      }
  });

await test("the password of the cluster is with its nodes alone, and another one for each database", async () => {
  const internal = await internalPasswordOf(cluster, guarded.uid);
  assert.match(internal, /^[\w-]{43}$/);
  assert.notEqual(internal, await internalPasswordOf(cluster, open.uid));
  for (const engine of await enginesOf(cluster, guarded.uid)) assert.equal(await callEngine(engine, "PING"), "PONG");
  const endpoint = { host: cluster.address(1), port: guarded.port };
  const [refused] = await repliesOf(endpoint, [["AUTH", "store", internal]]);
  assert.match(refused ?? "", /^-WRONGPASS/);
  const shown = await repliesOf(endpoint, [
    ["AUTH", SECRET],
    ["ACL", "WHOAMI"],
    ["CONFIG", "GET", "master*"],
    ["ACL", "LIST"],
    ["DEBUG", "SLEEP", "0"],
    ["MODULE", "LOAD", "/tmp/mine.so"],
    ["SCRIPT", "DEBUG", "YES"],
    ["CONFIG", "SET", "dir", "/tmp"],
  ]);
  assert.deepEqual(shown.slice(0, 2), ["+OK", "$7 default"]);
  assert.doesNotMatch(shown[2] ?? "", new RegExp(`store|${internal}`));
  for (const reply of shown.slice(3)) assert.match(reply, /^-ERR store: /);
  await holdsNowhere(guarded, internal);
});

/** Neither the log of a node nor the arguments of an engine hold it; the configuration of an engine is for its owner alone. */
async function holdsNowhere({ uid }: BdbRecord, internal: string): Promise<void> {
  for (const shard of await cluster.shards(uid)) {
    const node = nodeOf(shard);
    assert.ok(!cluster.log(node).includes(internal));
    const pid = await cluster.enginePid(shard);
    assert.ok(!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(internal));
    const [config = ""] = globSync(join(cluster.root(node), NODE_PATHS.data, `db-${uid}/*/engine.conf`));
    assert.equal(statSync(config).mode & 0o777, 0o600);
  }
}

function make(name: string, password: string): Promise<BdbRecord> {
  const login = password === "" ? {} : { authentication_redis_pass: password };
  return cluster.create({ name, memory_size: 20_000_000, replication: true, redis_version: "7.2", ...login });
}

type Command = readonly string[];

/** Before any login, and after each one that may be tried. */
function loginsOf(password: string): readonly (readonly Command[])[] {
  const given = password === "" ? "anything" : password;
  return [
    [],
    [["AUTH", given]],
    [["AUTH", "default", given]],
    [["AUTH", "default", ""]],
    [["AUTH", "store", given]],
    [["HELLO", "3", "AUTH", "default", given]],
    [["HELLO", "3"]],
  ];
}

/** The reply to each command on one connection; of one that is longer than a line, all of it on one. */
async function repliesOf(at: { readonly host: string; readonly port: number }, commands: readonly Command[]) {
  const replies: string[] = [];
  const socket = dial(at);
  try {
    for (const command of commands) {
      socket.write(encodeCommand(command));
      const [bytes]: readonly unknown[] = await once(socket, "data");
      replies.push(String(bytes).trim().replaceAll("\r\n", " "));
    }
  } finally {
    socket.destroy();
  }
  return replies;
}
