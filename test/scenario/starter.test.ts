import assert from "node:assert/strict";
import { chmod, mkdir, readFile, stat, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { discoverEngines } from "../../src/mechanisms/supervisor/engines.ts";
import { instanceFiles } from "../../src/mechanisms/supervisor/instance-files.ts";
import { starterProcess } from "../kit/engines/engine-container.ts";
import { callInstance, superviseBy } from "../kit/engines/supervised-node.ts";
import { until } from "#kit/testing/until";

// Engines in a container of their own: a starter as a process, and what an agent does with it.

/** A node whose engines are started by a starter. */
async function nodeWithStarter() {
  const starter = await starterProcess();
  const container = await starter.agent();
  starter.run();
  await container.connected();
  return { starter, container, node: await superviseBy(container, starter.data) };
}

test("an engine is started, asked to end and started again; its files are for both users", async () => {
  const { starter, node, container } = await nodeWithStarter();
  await using _starter = starter;
  await using _node = node;
  const wanted = node.primary({ launch: 1 });
  await node.serve(wanted);
  assert.equal(await callInstance(wanted, "SET", "k", "v"), "OK");
  assert.ok(container.memory() > 0);
  const { directory, configFile } = instanceFiles(node.data, 1, 1);
  assert.equal((await stat(configFile)).mode & 0o777, 0o660);
  assert.equal((await stat(directory)).mode & 0o070, 0o070);
  assert.doesNotMatch(await readFile(`/proc/${node.report().pid}/environ`, "latin1"), /KUBE|CONTAINER_ROOT/);
  await node.supervisor.stopAll();
  assert.equal((await stat(join(directory, "clean"))).isFile(), true, "it ended in good order");
});

test("an engine that is killed is a crash of that engine; a starter that is killed is one of all", async () => {
  const { starter, node, container } = await nodeWithStarter();
  await using _starter = starter;
  await using _node = node;
  const first = node.primary();
  const second = node.replicaOf(first);
  await node.reconcile([first, second]);
  await node.awaitState("serving", 1);
  await node.awaitState("serving", 2);
  process.kill(node.report(2).pid, "SIGKILL");
  await until("the replica has restarted", () => node.report(2).restarts === 1);
  assert.equal(node.report(1).state, "serving");

  await starter.kill();
  await node.awaitState("crashed", 1);
  starter.run();
  await container.connected();
  await node.awaitState("serving", 2);
  assert.equal(node.report(1).state, "crashed", "a primary waits for its leader");
});

test("a starter ends with its agent, and so do its engines, at once", async () => {
  const { starter, node, container } = await nodeWithStarter();
  await using _starter = starter;
  await using _node = node;
  await node.serve(node.primary());
  const { pid } = node.report();
  // asked by Kubernetes, it waits for its agent, which moves its primaries first
  process.kill(starter.pid, "SIGTERM");
  assert.equal(await callInstance(node.primary(), "PING"), "PONG");
  container.close();
  await starter.ended();
  await until("the engine has ended too", () => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true; // ESRCH
    }
  });
});

test("it starts engines of its image, in folders of the data, and nothing else", async () => {
  const { starter, container, node } = await nodeWithStarter();
  await using _starter = starter;
  await using _node = node;
  const [engine] = await discoverEngines(process.env);
  assert.ok(engine !== undefined);
  const directory = { bdb: 1, instance: 1, files: instanceFiles(node.data, 1, 1) };
  await mkdir(directory.files.directory, { recursive: true });
  const unknown = { family: "redis", version: "99.0.0", path: "/bin/sh" } as const;
  await assert.rejects(container.start(unknown, directory), /STARTER_REFUSED|no engine redis 99/);
  const elsewhere = { bdb: 2, instance: 1, files: instanceFiles(node.data, 2, 1) };
  await mkdir(join(node.data, "db-2"));
  await symlink(directory.files.directory, elsewhere.files.directory);
  await assert.rejects(container.start(engine, elsewhere), /is a link to another folder/);
});

test("it connects to no folder that others than the agent can write", async () => {
  await using starter = await starterProcess();
  const folder = join(starter.shared, "agent");
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o777);
  let calls = 0;
  await using server = createServer(() => (calls += 1)).listen(join(folder, "starter.socket"));
  await once(server, "listening");
  let output = "";
  starter.run((text) => (output += text));
  await until("it says why", () => /agent is of user \d+, mode 777/.test(output));
  assert.equal(calls, 0);
});
