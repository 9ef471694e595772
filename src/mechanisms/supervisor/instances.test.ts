import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { engineLogins } from "../../core/api/engine-login.ts";
import { connectEngine } from "../../ports/resp/engine-client.ts";
import { silentLog } from "#kit/base/log";
import { startChild } from "#kit/processes/child";
import type { Child } from "#kit/processes/child";
import { superviseInstances } from "./instances.ts";
import { engineChildren } from "./engine-process.ts";
import { discoverEngines } from "./engines.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { awaitLink, callInstance, replicationOf, superviseNode } from "../../../test/kit/engines/supervised-node.ts";
import { until } from "#kit/testing/until";

test("reconciling with the same record changes nothing", async () => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  const before = node.report();
  await node.reconcile([wanted]);
  assert.deepEqual(node.report(), before);
});

test("the password is in a file for its owner alone, never in the arguments, and is needed", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ access: { internal: `s3"c\\ret`, clients: [] } });
  await node.serve(wanted);
  const config = join(node.data, "db-1", "1", "engine.conf");
  assert.equal((await stat(config)).mode & 0o777, 0o600);
  assert.equal(await callInstance(wanted, "PING"), "PONG");
  await assert.rejects(callInstance({ ...wanted, access: { clients: [""] } }, "PING"), /NOAUTH/);
  if (process.platform !== "linux") return;
  assert.doesNotMatch(await readFile(`/proc/${node.report().pid}/cmdline`, "utf8"), /s3/);
});

test("a replica attaches, is read-only, announces its own address, and comes back after a crash", async () => {
  await using node = await superviseNode();
  const first = node.primary();
  const second = node.replicaOf(first);
  await node.reconcile([first, second]);
  await awaitLink(second);
  await assert.rejects(callInstance(second, "SET", "k", "v"), /READONLY/);
  const seen = (await replicationOf(first))?.replicas[0];
  assert.deepEqual([seen?.host, seen?.port], [node.host, second.port]);

  process.kill(node.report(2).pid, "SIGKILL");
  await until("the replica has restarted", () => node.report(2).restarts === 1);
  await awaitLink(second);
  await node.awaitState("serving", 2);
});

test("a replica that ends at each attempt to take the data of its primary has failed to start each time, with the engine's reason", async () => {
  await using node = await superviseNode({ everyMs: 50 });
  const first = node.primary({ storeVersion: "7.4" });
  await node.serve(first);
  // only the engine of the primary knows this name
  const library = "#!lua name=own\nserver.register_function('own', function() return 1 end)";
  await callInstance(first, "FUNCTION", "LOAD", library);
  const second = node.replicaOf(node.primary({ storeVersion: "8.0" }));
  await node.reconcile([first, second]);
  await until("it has ended three times", () => node.report(2).failed_starts >= 3);
  assert.match(node.report(2).last_words, /server/);
  await callInstance(first, "FUNCTION", "DELETE", "own");
  await awaitLink(second);
  await until("nothing is counted any more", () => node.report(2).failed_starts === 0);
});

test("an engine that serves and is ended again and again is counted, with what ended it", async () => {
  await using node = await superviseNode({ everyMs: 50 });
  const first = node.primary();
  const second = node.replicaOf(first);
  await node.reconcile([first, second]);
  let killed = 0;
  const kill = (): boolean => {
    const { pid, crashes } = node.report(2);
    const hasData = node.supervisor.replicationOf(1, 2)?.info.includes("master_link_status:up") === true;
    if (pid !== 0 && pid !== killed && hasData) process.kill((killed = pid), "SIGKILL");
    return crashes >= 3;
  };
  await until("it has crashed three times", kill);
  assert.deepEqual([node.report(2).ended_by, node.report(1).crashes], ["SIGKILL", 0]);
  await awaitLink(second);
  await until("it has failed at no start", () => node.report(2).failed_starts === 0);
  assert.ok(node.report(2).crashes >= 3, "it is said also while it serves");
});

test("an engine that hangs with its port open is found by its silence and ended", async () => {
  await using node = await superviseNode({ silentMs: 300, everyMs: 50 });
  await node.serve(node.primary());
  process.kill(node.report().pid, "SIGSTOP");
  await node.awaitState("crashed");
});

test("an engine that runs an endless script answers that it is busy: it is not taken for one that hangs", async () => {
  await using node = await superviseNode({ silentMs: 700, everyMs: 50 });
  const primary = node.primary();
  await node.serve(primary);
  const { pid } = node.report();
  const { host, port, access } = primary;
  const runaway = await connectEngine({ host, port, logins: engineLogins(access), timeoutMs: 30_000 });
  const killed = assert.rejects(runaway.call("EVAL", "while true do end", "0"), /killed/i);
  const began = performance.now();
  await until("the limit for silence has passed twice", () => performance.now() - began > 1_500);
  assert.deepEqual([node.report().pid, node.report().state], [pid, "serving"]);
  await callInstance(primary, "SCRIPT", "KILL");
  await killed;
  runaway.close();
});

test("an instance that the record no longer names is stopped and its data removed; stopping all keeps data", async () => {
  await using node = await superviseNode();
  const first = node.primary();
  const second = node.replicaOf(first);
  await node.reconcile([first, second]);
  await awaitLink(second);
  const { pid } = node.report(2);
  await node.reconcile([first]);
  assert.deepEqual(
    node.supervisor.report().map(({ instance }) => instance),
    [1],
  );
  assert.equal(exists(pid), false);
  assert.equal(existsSync(join(node.data, "db-1", "2")), false);
  await node.supervisor.stopAll();
  assert.ok(existsSync(join(node.data, "db-1", "1", "launch")));
});

test("an agent that starts ends the engine that an earlier one left running, and no other process", async (t) => {
  await using node = await superviseNode();
  const first = node.primary();
  await node.serve(first);
  const leftover = node.report().pid;
  const bystander = await startBystander();
  t.after(() => bystander.signal("SIGKILL"));
  const engines = await discoverEngines(process.env);
  const next = superviseInstances({
    data: node.data,
    engines,
    runner: engineChildren(silentLog),
    clock: systemClock,
    log: silentLog,
  });
  t.after(() => next.stopAll());
  await next.reconcileInstances([first], () => "set-aside");
  // it has ended, and is a child of this process, which learns that a little later
  await until("the engine is gone", () => !exists(leftover));
  assert.equal(bystander.state(), "running");
  assert.equal(next.report()[0]?.state, "crashed");
});

test("a pid file that names another process ends no process", async (t) => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  await node.supervisor.stopAll();
  const bystander = await startBystander();
  t.after(() => bystander.signal("SIGKILL"));
  await writeFile(join(node.data, "db-1", "1", "engine.pid"), `${bystander.pid}\n`);
  await node.restartAgent();
  await node.serve({ ...wanted, launch: 2 });
  assert.equal(bystander.state(), "running");
});

test("a data folder that cannot be read at first is used once it can", async () => {
  await using node = await superviseNode();
  await rm(node.data, { recursive: true });
  await symlink(node.data, node.data);
  const wanted = node.primary();
  await assert.rejects(node.reconcile([wanted]), /ELOOP/);
  await rm(node.data);
  await node.serve(wanted);
});

function startBystander(): Promise<Child> {
  return startChild({ command: "sleep", args: ["60"], env: {}, log: silentLog });
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ESRCH
  }
}
