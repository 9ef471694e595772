import assert from "node:assert/strict";
import { test } from "node:test";
import { connectEngine } from "../../ports/resp/engine-client.ts";
import { awaitAofRewrite, callInstance, superviseNode } from "../../../test/kit/engines/supervised-node.ts";
import { directivesWith } from "../../../test/kit/facts/settings.ts";

test("settings of the record reach the running engine", async () => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  const directives = directivesWith({
    memoryBytes: 123_000_000,
    evictionPolicy: "allkeys-lru",
    persistence: "aofAlways",
  });
  await node.reconcile([{ ...wanted, directives, upgrading: true }]);
  const names = ["maxmemory*", "appendonly", "appendfsync", "repl-backlog-size"];
  const settings = await callInstance(wanted, "CONFIG", "GET", ...names);
  assert.ok(Array.isArray(settings));
  for (const value of ["123000000", "allkeys-lru", "yes", "always", String(256 * 1024 * 1024)])
    assert.ok(settings.includes(value), `${value} of ${settings.join(" ")}`);
  assert.equal(node.report().restarts, 0);
  await awaitAofRewrite(wanted, false);
});

test("parameters of the record reach the running engine, and are taken back", async () => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  const shown = (): Promise<unknown> => callInstance(wanted, "CONFIG", "GET", "notify-keyspace-events");
  const directives = directivesWith({ engineParameters: "notify-keyspace-events=Ex slowlog-max-len=7" });
  await node.reconcile([{ ...wanted, directives }]);
  assert.deepEqual(await shown(), ["notify-keyspace-events", "xE"]);
  await node.reconcile([wanted]);
  assert.deepEqual(await shown(), ["notify-keyspace-events", ""]);
  assert.equal(node.report().restarts, 0);
});

test("two passwords overlap in a running engine, and in one that starts with them", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ password: "new", otherPasswords: ["old"] });
  await node.serve(wanted);
  for (const password of ["new", "old"]) assert.equal(await callInstance({ ...wanted, password }, "PING"), "PONG");
  const open = await connectEngine({ ...wanted, password: "old", otherPasswords: [], timeoutMs: 1_000 });
  await node.reconcile([{ ...wanted, password: "newer", otherPasswords: ["new"] }]);
  for (const password of ["newer", "new"]) assert.equal(await callInstance({ ...wanted, password }, "PING"), "PONG");
  await assert.rejects(callInstance({ ...wanted, password: "old", otherPasswords: [] }, "PING"), /WRONGPASS/);
  assert.equal(await open.call("PING"), "PONG");
  open.close();
});

test("from no password to one: both may come in while they overlap, and then only one", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ password: "", otherPasswords: [] });
  await node.serve(wanted);
  await node.reconcile([{ ...wanted, password: "new", otherPasswords: [""] }]);
  for (const password of ["", "new"]) {
    assert.equal(await callInstance({ ...wanted, password, otherPasswords: [""] }, "PING"), "PONG");
  }
  await node.reconcile([{ ...wanted, password: "new" }]);
  await assert.rejects(callInstance(wanted, "PING"), /NOAUTH/);
  assert.equal(await callInstance({ ...wanted, password: "new" }, "PING"), "PONG");
});

test("another password reaches the running engine: open connections stay, new ones need it", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ password: "old" });
  await node.serve(wanted);
  const { host, port, password } = wanted;
  const open = await connectEngine({ host, port, password, timeoutMs: 1_000 });
  await node.reconcile([{ ...wanted, password: "new" }]);
  assert.equal(await open.call("PING"), "PONG");
  open.close();
  assert.equal(await callInstance({ ...wanted, password: "new" }, "PING"), "PONG");
  await assert.rejects(callInstance(wanted, "PING"), /WRONGPASS/);
  assert.equal(node.report().restarts, 0);
});
