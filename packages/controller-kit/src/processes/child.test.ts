import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { isFault } from "../base/fault.ts";
import { silentLog } from "../base/log.ts";
import { systemClock } from "../reconcile/system-clock.ts";
import { startChild, stopChild } from "./child.ts";
import type { Child, ChildSpec } from "./child.ts";
import { faults } from "./faults.ts";

const node = (script: string, over: Partial<ChildSpec> = {}): ChildSpec => ({
  command: process.execPath,
  args: ["-e", script],
  env: {},
  log: silentLog,
  ...over,
});

const FOREVER = "console.log('up'); setInterval(() => {}, 1000)";
const STUBBORN = `process.on('SIGTERM', () => {}); ${FOREVER}`;

test("a child that ends at SIGTERM is stopped gracefully", async (t) => {
  const child = await started(t, FOREVER);
  const stopped = await stopChild(child, 10_000, systemClock);
  assert.deepEqual(stopped, { how: "graceful", code: undefined, signal: "SIGTERM" });
  assert.equal(child.state(), "exited");
});

test("a child that ignores SIGTERM is killed when the grace is over", async (t) => {
  const child = await started(t, STUBBORN);
  const stopped = await stopChild(child, 50, systemClock);
  assert.deepEqual(stopped, { how: "forced", code: undefined, signal: "SIGKILL" });
});

test("a child that has ended is left alone, and its exit code is returned", async () => {
  const child = await startChild(node("process.exit(7)"));
  await child.exited;
  assert.deepEqual(await stopChild(child, 50, systemClock), { how: "already-exited", code: 7, signal: undefined });
});

test("a child whose command does not exist is a fault that names the command", async () => {
  await assert.rejects(startChild(node("", { command: "/nowhere/engine" })), (error) => {
    assert.ok(isFault(error, faults.spawnFailed));
    return error.message.includes("/nowhere/engine");
  });
});

test("a child sees the environment it was given and nothing else", async () => {
  const output = await outputOf("console.log(JSON.stringify(process.env))", { env: { ONLY: "this" } });
  assert.deepEqual(JSON.parse(output), { ONLY: "this" });
});

test("a child with an IPC channel receives and sends", async (t) => {
  const answer = Promise.withResolvers<unknown>();
  const child = await startChild(
    node("process.on('message', (m) => process.send({ received: m }))", { onMessage: answer.resolve }),
  );
  t.after(() => child.signal("SIGKILL"));
  assert.equal(child.send("hello"), true);
  assert.deepEqual(await answer.promise, { received: "hello" });
  await stopChild(child, 10_000, systemClock);
  assert.equal(child.send("again"), false);
});

test("the group of a child ends with it, also when it is killed", async (t) => {
  const offspring = `const { spawn } = require('node:child_process');
    const kid = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    console.log(kid.pid); setInterval(() => {}, 1000)`;
  const line = Promise.withResolvers<string>();
  const child = await startChild(node(offspring, { group: true, stdout: (chunk) => line.resolve(String(chunk)) }));
  t.after(() => child.signal("SIGKILL"));
  const grandchild = Number(await line.promise);
  child.signal("SIGKILL");
  await child.exited;
  await gone(grandchild);
});

/** A child that has written a line; ended with the test. */
async function started(t: TestContext, script: string): Promise<Child> {
  const up = Promise.withResolvers<undefined>();
  const child = await startChild(
    node(script, {
      stdout: () => {
        up.resolve(undefined);
      },
    }),
  );
  t.after(() => child.signal("SIGKILL"));
  await up.promise;
  return child;
}

async function outputOf(script: string, over: Partial<ChildSpec>): Promise<string> {
  const line = Promise.withResolvers<string>();
  const child = await startChild(node(script, { ...over, stdout: (chunk) => line.resolve(String(chunk)) }));
  await child.exited;
  return line.promise;
}

async function gone(pid: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (exists(pid)) {
    assert.ok(performance.now() < deadline, `process ${pid} is still there`);
    await sleep(5);
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
