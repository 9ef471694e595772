import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../core/base/clock.ts";
import { silentLog } from "../../core/base/log.ts";
import { callEngine, connectEngine } from "../../ports/resp/engine-client.ts";
import { parseInfo, replicationView } from "../../ports/resp/info.ts";
import { textOf } from "../../ports/resp/reply.ts";
import { startChild } from "../processes/child.ts";
import { discoverEngines } from "./engines.ts";
import { superviseInstances } from "./instances.ts";
import type { InstanceSupervisor } from "./instances.ts";
import type { InstanceReport } from "./instance.ts";
import type { WantedInstance } from "./wanted-instance.ts";
import { directivesWith } from "../../../test/kit/facts/settings.ts";

const HOST = "127.121.7.1";
const clock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};
const engines = await discoverEngines(process.env);
const cleaners: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});

test("a primary starts by a launch number of its own, serves, and is not started twice by the same one", async () => {
  const { supervisor, data } = await node();
  const wanted = await primary();
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  assert.equal((await replication(wanted))?.role, "primary");
  assert.equal((await readFile(join(data, "db-1", "1", "launch"), "utf8")).trim(), "1");

  const again = await anotherAgent(supervisor, data);
  await again.reconcileInstances([wanted]);
  const { state, pid, restarts, launch } = report(again);
  assert.deepEqual({ state, pid, restarts, launch }, { state: "crashed", pid: 0, restarts: 0, launch: 1 });

  await again.reconcileInstances([{ ...wanted, launch: 2 }]);
  await serving(again);
  assert.equal(report(again).launch, 2);
});

test("reconciling with the same record changes nothing", async () => {
  const { supervisor } = await node();
  const wanted = await primary();
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  const before = report(supervisor);
  await supervisor.reconcileInstances([wanted]);
  assert.deepEqual(report(supervisor), before);
});

test("the password is in a file for its owner alone, never in the arguments, and is needed", async () => {
  const { supervisor, data } = await node();
  const wanted = await primary({ password: `s3"c\\ret` });
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  const config = join(data, "db-1", "1", "engine.conf");
  assert.equal((await stat(config)).mode & 0o777, 0o600);
  assert.equal(await call(wanted, "PING"), "PONG");
  await assert.rejects(call({ ...wanted, password: "" }, "PING"), /NOAUTH/);
  if (process.platform !== "linux") return;
  assert.doesNotMatch(await readFile(`/proc/${report(supervisor).pid}/cmdline`, "utf8"), /s3/);
});

test("a replica attaches, is read-only, announces its own address, and comes back after a crash", async () => {
  const { supervisor } = await node();
  const first = await primary();
  const second = await replicaOf(first);
  await supervisor.reconcileInstances([first, second]);
  await linked(second);
  await assert.rejects(call(second, "SET", "k", "v"), /READONLY/);
  const seen = (await replication(first))?.replicas[0];
  assert.deepEqual([seen?.host, seen?.port], [HOST, second.port]);

  process.kill(report(supervisor, 2).pid, "SIGKILL");
  await until(() => report(supervisor, 2).restarts === 1);
  await linked(second);
  await until(() => report(supervisor, 2).state === "serving");
});

test("a killed primary is reported crashed and waits for a higher launch number", async () => {
  const { supervisor } = await node();
  const wanted = await primary();
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  process.kill(report(supervisor).pid, "SIGKILL");
  await until(() => report(supervisor).state === "crashed");
  await sleep(400); // longer than the first retry
  assert.deepEqual([report(supervisor).state, report(supervisor).pid], ["crashed", 0]);
  await supervisor.reconcileInstances([{ ...wanted, launch: 2 }]);
  await serving(supervisor);
});

test("a primary that was asked to end is reported clean by the next agent, and not so once it crashed", async () => {
  const { supervisor, data } = await node();
  const wanted = await primary({ directives: directivesWith({ persistence: "aofEverySecond" }) });
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  await call(wanted, "SET", "k", "v");
  // an engine that writes its first AOF refuses to exit
  await until(async () => /aof_rewrite_in_progress:0/.test(textOf(await call(wanted, "INFO", "persistence"))));
  const next = await anotherAgent(supervisor, data);
  await next.reconcileInstances([{ ...wanted, fresh: false }]);
  assert.deepEqual([report(next).state, report(next).clean], ["crashed", true]);
  await next.reconcileInstances([{ ...wanted, fresh: false, launch: 2 }]);
  await serving(next);
  assert.equal(await call(wanted, "GET", "k"), "v");
  process.kill(report(next).pid, "SIGKILL");
  await until(() => report(next).state === "crashed");
  assert.equal(report(next).clean, false);
});

test("an engine that is told to end while it writes its first AOF ends in good order when that is written", async () => {
  const { supervisor, data } = await node();
  const wanted = await primary();
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  await call(wanted, "DEBUG", "POPULATE", "3000");
  await call(wanted, "CONFIG", "SET", "rdb-key-save-delay", "500");
  await supervisor.reconcileInstances([{ ...wanted, directives: directivesWith({ persistence: "aofEverySecond" }) }]);
  await until(async () => /aof_rewrite_in_progress:1/.test(textOf(await call(wanted, "INFO", "persistence"))));
  const next = await anotherAgent(supervisor, data);
  await next.reconcileInstances([
    { ...wanted, fresh: false, directives: directivesWith({ persistence: "aofEverySecond" }) },
  ]);
  assert.deepEqual([report(next).state, report(next).clean], ["crashed", true]);
});

test("a launch is told as used only once the process runs: a start under way never looks like a second crash", async () => {
  const { supervisor } = await node();
  const wanted = await primary();
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  process.kill(report(supervisor).pid, "SIGKILL");
  await until(() => report(supervisor).state === "crashed");
  await supervisor.reconcileInstances([{ ...wanted, launch: 2 }]);
  while (report(supervisor).state === "crashed") {
    assert.equal(report(supervisor).launch, 1);
    await nextTurn();
  }
  assert.equal(report(supervisor).launch, 2);
});

test("a launch that is allowed while the primary runs is not left over for its next crash", async () => {
  const { supervisor } = await node();
  const wanted = await primary();
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  const { pid } = report(supervisor);
  await supervisor.reconcileInstances([{ ...wanted, launch: 2 }]);
  assert.deepEqual([report(supervisor).pid, report(supervisor).launch], [pid, 2]);
  process.kill(pid, "SIGKILL");
  await until(() => report(supervisor).state === "crashed");
  await supervisor.reconcileInstances([{ ...wanted, launch: 2 }]);
  assert.equal(report(supervisor).pid, 0);
});

test("an engine that hangs with its port open is found by its silence and ended", async () => {
  const { supervisor } = await node({ silentMs: 300, everyMs: 50 });
  await supervisor.reconcileInstances([await primary()]);
  await serving(supervisor);
  process.kill(report(supervisor).pid, "SIGSTOP");
  await until(() => report(supervisor).state === "crashed");
});

test("settings of the record reach the running engine", async () => {
  const { supervisor } = await node();
  const wanted = await primary();
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  await supervisor.reconcileInstances([
    {
      ...wanted,
      directives: directivesWith({ memoryBytes: 123_000_000, evictionPolicy: "allkeys-lru", persistence: "aofAlways" }),
      upgrading: true,
    },
  ]);
  const settings = await call(wanted, "CONFIG", "GET", "maxmemory*", "appendonly", "appendfsync", "repl-backlog-size");
  assert.ok(Array.isArray(settings));
  for (const value of ["123000000", "allkeys-lru", "yes", "always", String(256 * 1024 * 1024)])
    assert.ok(settings.includes(value), `${value} of ${settings.join(" ")}`);
  assert.equal(report(supervisor).restarts, 0);
  // an engine that writes its first AOF refuses to exit
  await until(async () => /aof_rewrite_in_progress:0/.test(textOf(await call(wanted, "INFO", "persistence"))));
});

test("another password reaches the running engine: open connections stay, new ones need it", async () => {
  const { supervisor } = await node();
  const wanted = await primary({ password: "old" });
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  const open = await connectEngine({ host: HOST, port: wanted.port, password: "old", timeoutMs: 1_000 });
  await supervisor.reconcileInstances([{ ...wanted, password: "new" }]);
  assert.equal(await open.call("PING"), "PONG");
  open.close();
  assert.equal(await call({ ...wanted, password: "new" }, "PING"), "PONG");
  await assert.rejects(call(wanted, "PING"), /WRONGPASS/);
  assert.equal(report(supervisor).restarts, 0);
});

test("an instance that the record no longer names is stopped and its data removed; stopping all keeps data", async () => {
  const { supervisor, data } = await node();
  const first = await primary();
  const second = await replicaOf(first);
  await supervisor.reconcileInstances([first, second]);
  await linked(second);
  const { pid } = report(supervisor, 2);
  await supervisor.reconcileInstances([first]);
  assert.deepEqual(
    supervisor.report().map(({ instance }) => instance),
    [1],
  );
  assert.equal(exists(pid), false);
  assert.equal(existsSync(join(data, "db-1", "2")), false);
  await supervisor.stopAll();
  assert.ok(existsSync(join(data, "db-1", "1", "launch")));
});

test("an agent that comes up ends the engine an earlier one left behind, and no other process", async () => {
  const { supervisor, data } = await node();
  const first = await primary();
  await supervisor.reconcileInstances([first]);
  await serving(supervisor);
  const leftover = report(supervisor).pid;
  const bystander = await startChild({ command: "sleep", args: ["60"], env: {}, log: silentLog });
  cleaners.push(() => Promise.resolve(bystander.signal("SIGKILL")));

  const next = superviseInstances({ data, engines, clock, log: silentLog });
  cleaners.push(() => next.stopAll());
  await next.reconcileInstances([first]);
  assert.equal(exists(leftover), false);
  assert.equal(bystander.state(), "running");
  assert.equal(report(next).state, "crashed");
});

test("a data folder that cannot be read at first is used once it can", async () => {
  const { supervisor, data } = await node();
  await rm(data, { recursive: true });
  await symlink(data, data);
  const wanted = await primary();
  await assert.rejects(supervisor.reconcileInstances([wanted]), /ELOOP/);
  await rm(data);
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
});

test("a pid file that names a process of somebody else ends nobody", async () => {
  const { supervisor, data } = await node();
  const wanted = await primary();
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  await supervisor.stopAll();
  const bystander = await startChild({ command: "sleep", args: ["60"], env: {}, log: silentLog });
  cleaners.push(() => Promise.resolve(bystander.signal("SIGKILL")));
  await writeFile(join(data, "db-1", "1", "engine.pid"), `${bystander.pid}\n`);
  const next = await anotherAgent(supervisor, data);
  await next.reconcileInstances([{ ...wanted, launch: 2 }]);
  await serving(next);
  assert.equal(bystander.state(), "running");
});

test("a database that has data and lost its directory is not started empty", async () => {
  const { supervisor } = await node();
  await supervisor.reconcileInstances([await primary({ fresh: false })]);
  assert.equal(report(supervisor).state, "crashed");
  assert.equal(report(supervisor).launch, 1);
});

test("a persistent primary that is launched again has its data", async () => {
  const { supervisor } = await node();
  const wanted = await primary({ directives: directivesWith({ persistence: "aofAlways" }) });
  await supervisor.reconcileInstances([wanted]);
  await serving(supervisor);
  await call(wanted, "SET", "kept", "yes");
  process.kill(report(supervisor).pid, "SIGKILL");
  await until(() => report(supervisor).state === "crashed");
  await supervisor.reconcileInstances([{ ...wanted, launch: 2 }]);
  await serving(supervisor);
  assert.equal(await call(wanted, "GET", "kept"), "yes");
});

async function node(limits: Partial<{ silentMs: number; everyMs: number }> = {}): Promise<{
  supervisor: InstanceSupervisor;
  data: string;
}> {
  const data = await mkdtemp(join(tmpdir(), "instances-"));
  const supervisor = superviseInstances({ data, engines, clock, log: silentLog, limits });
  cleaners.push(
    () => rm(data, { recursive: true, force: true }),
    () => supervisor.stopAll(),
  );
  return { supervisor, data };
}

async function anotherAgent(before: InstanceSupervisor, data: string): Promise<InstanceSupervisor> {
  await before.stopAll();
  const supervisor = superviseInstances({ data, engines, clock, log: silentLog });
  cleaners.push(() => supervisor.stopAll());
  return supervisor;
}

async function primary(over: Partial<WantedInstance> = {}): Promise<WantedInstance> {
  return {
    bdb: 1,
    instance: 1,
    host: HOST,
    port: await freePort(),
    storeVersion: "7.2",
    role: "primary",
    launch: 1,
    fresh: true,
    switching: false,
    upgrading: false,
    password: "secret",
    directives: directivesWith(),
    modules: [],
    ...over,
  };
}

async function replicaOf(of: WantedInstance): Promise<WantedInstance> {
  const { host, port } = of;
  return { ...of, instance: 2, port: await freePort(), role: "replica", launch: 0, primary: { host, port } };
}

function report(supervisor: InstanceSupervisor, instance = 1): InstanceReport {
  const found = supervisor.report().find((one) => one.instance === instance);
  assert.ok(found !== undefined, `instance ${instance} is not reported`);
  return found;
}

async function serving(supervisor: InstanceSupervisor): Promise<void> {
  await until(() => report(supervisor).state === "serving");
}

async function linked(wanted: WantedInstance): Promise<void> {
  await until(async () => (await replication(wanted))?.link?.status === "up");
}

async function replication(wanted: WantedInstance): Promise<ReturnType<typeof replicationView>> {
  return call(wanted, "INFO", "replication").then(
    (text) => replicationView(parseInfo(textOf(text))),
    () => undefined, // not up (yet)
  );
}

function call({ host, port, password }: WantedInstance, ...args: string[]): ReturnType<typeof callEngine> {
  return callEngine({ host, port, password, timeoutMs: 1_000 }, ...args);
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `not within 10 s: ${condition.toString()}`);
    await sleep(10);
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ESRCH
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}
