import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_USER, ENGINE_USER, type EngineAccess } from "../../core/api/engine-login.ts";
import { DATABASE_VERSIONS } from "../../core/api/records.ts";
import { callEngine, connectEngine } from "../../ports/resp/engine-client.ts";
import { textOf } from "../../ports/resp/reply.ts";
import { awaitAofRewrite, awaitLink, callInstance, superviseNode } from "../../../test/kit/engines/supervised-node.ts";
import { until } from "#kit/testing/until";
import { directivesWith } from "../../../test/kit/facts/settings.ts";
import type { WantedInstance } from "./wanted-instance.ts";

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
  for (const value of ["123000000", "allkeys-lru", "yes", "always", "15375000"])
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

for (const storeVersion of DATABASE_VERSIONS)
  test(`the limits of compact sets hold in an engine of ${storeVersion} that has them, at its start and while it runs`, async () => {
    await using node = await superviseNode();
    const limits = (entries: number) => directivesWith({ engineParameters: `set-max-listpack-entries=${entries}` });
    const wanted = node.primary({ storeVersion, directives: limits(3) });
    await node.serve(wanted);
    const encoding = async (members: number): Promise<string> => {
      const key = `s${members}`;
      await callInstance(wanted, "DEL", key);
      await callInstance(wanted, "SADD", key, ...Array.from({ length: members }, (_, i) => `m${i}`));
      return textOf(await callInstance(wanted, "OBJECT", "ENCODING", key));
    };
    const version = textOf(await callInstance(wanted, "INFO", "server"));
    const hasThem = !/redis_version:7\.0\./.test(version);
    assert.deepEqual(
      [await encoding(3), await encoding(4)],
      hasThem ? ["listpack", "hashtable"] : Array(2).fill("hashtable"),
    );
    await node.reconcile([{ ...wanted, directives: limits(4) }]);
    assert.deepEqual(
      [await encoding(4), await encoding(5)],
      hasThem ? ["listpack", "hashtable"] : Array(2).fill("hashtable"),
    );
    assert.equal(node.report().restarts, 0);
  });

test("two passwords overlap in a running engine, and in one that starts with them", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ access: { clients: ["new", "old"] } });
  await node.serve(wanted);
  for (const password of ["new", "old"]) assert.equal(await comeIn(wanted, password), "PONG");
  const open = await connectEngine({ ...wanted, password: "old", timeoutMs: 1_000 });
  await node.reconcile([{ ...wanted, access: { clients: ["newer", "new"] } }]);
  for (const password of ["newer", "new"]) assert.equal(await comeIn(wanted, password), "PONG");
  await assert.rejects(comeIn(wanted, "old"), /WRONGPASS/);
  assert.equal(await open.call("PING"), "PONG");
  open.close();
});

test("from no password to one: both may come in while they overlap, and then only one", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ access: { clients: [""] } });
  await node.serve(wanted);
  await node.reconcile([{ ...wanted, access: { clients: ["new", ""] } }]);
  for (const password of ["", "new"]) assert.equal(await comeIn(wanted, password), "PONG");
  await node.reconcile([{ ...wanted, access: { clients: ["new"] } }]);
  await assert.rejects(comeIn(wanted, ""), /NOAUTH/);
  assert.equal(await comeIn(wanted, "new"), "PONG");
});

test("engines that clients could reach are closed while they run: replication and what is open go on, and no other login is accepted", async () => {
  await using node = await superviseNode();
  const both = (access: EngineAccess) => {
    const primary = node.primary({ access });
    return [primary, node.replicaOf(primary)] as const;
  };
  const [primary, replica] = both({ clients: ["secret", ""] });
  await node.serve(primary, replica);
  await awaitLink(replica);
  const { id } = await linkOf(primary);
  const open = await connectEngine({ ...primary, password: "secret", timeoutMs: 1_000 });
  await node.reconcile(both({ internal: "internal", clients: ["secret", ""] }));
  assert.equal(await comeIn(primary, "internal", ENGINE_USER), "PONG");
  assert.equal(await comeIn(primary, "secret"), "PONG", "a node of an older release");
  const closed = both({ internal: "internal", clients: [] });
  await node.reconcile(closed);
  for (const wanted of closed) {
    await assert.rejects(comeIn(wanted, "secret"), /WRONGPASS/);
    await assert.rejects(comeIn(wanted, ""), /NOAUTH/);
  }
  assert.equal(await open.call("PING"), "PONG", "a connection of a proxy");
  open.close();
  assert.equal((await linkOf(closed[0])).id, id, "the replica was not cut");
  await callInstance(closed[0], "CLIENT", "KILL", "TYPE", "replica");
  await until("it comes again as the cluster", async () => /user=store/.test((await linkOf(closed[0])).text));
  assert.equal(node.report().restarts + node.report(2).restarts, 0);
});

function comeIn({ host, port }: WantedInstance, password: string, user = DEFAULT_USER): Promise<unknown> {
  return callEngine({ host, port, logins: [{ user, password }], timeoutMs: 1_000 }, "PING");
}

/** The connection of the replica, as the primary lists it. */
async function linkOf(primary: WantedInstance): Promise<{ readonly id: string | undefined; readonly text: string }> {
  const text = textOf(await callInstance(primary, "CLIENT", "LIST", "TYPE", "replica"));
  return { id: /^id=(\d+)/.exec(text)?.[1], text };
}
