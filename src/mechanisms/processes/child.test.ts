import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import type { Clock } from "../../core/base/clock.ts";
import { isFault } from "../../core/base/fault.ts";
import { silentLog } from "../../core/base/log.ts";
import { startChild, stopChild } from "./child.ts";
import type { Child, ChildSpec } from "./child.ts";
import { faults } from "./faults.ts";

const clock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};

const node = (script: string, over: Partial<ChildSpec> = {}): ChildSpec => ({
  command: process.execPath,
  args: ["-e", script],
  env: {},
  log: silentLog,
  ...over,
});

const FOREVER = "console.log('up'); setInterval(() => {}, 1000)";
const STUBBORN = `process.on('SIGTERM', () => {}); ${FOREVER}`;

test("a child that heeds SIGTERM is stopped gracefully", async () => {
  const child = await started(FOREVER);
  const stopped = await stopChild(child, 10_000, clock);
  assert.deepEqual(stopped, { how: "graceful", code: undefined, signal: "SIGTERM" });
  assert.equal(child.state(), "exited");
});

test("a child that ignores SIGTERM is ended by force when the grace is over", async () => {
  const child = await started(STUBBORN);
  const stopped = await stopChild(child, 50, clock);
  assert.deepEqual(stopped, { how: "forced", code: undefined, signal: "SIGKILL" });
});

test("a child that has ended is left alone, and its exit code is told", async () => {
  const child = await startChild(node("process.exit(7)"));
  await child.exited;
  assert.deepEqual(await stopChild(child, 50, clock), { how: "already-exited", code: 7, signal: undefined });
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

test("a child with an IPC channel hears and answers", async () => {
  const answer = Promise.withResolvers<unknown>();
  const child = await startChild(
    node("process.on('message', (m) => process.send({ heard: m }))", { onMessage: answer.resolve }),
  );
  assert.equal(child.send("hello"), true);
  assert.deepEqual(await answer.promise, { heard: "hello" });
  await stopChild(child, 10_000, clock);
  assert.equal(child.send("again"), false);
});

test("the group of a child ends with it, also when it is killed", async () => {
  const offspring = `const { spawn } = require('node:child_process');
    const kid = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    console.log(kid.pid); setInterval(() => {}, 1000)`;
  const line = Promise.withResolvers<string>();
  const child = await startChild(node(offspring, { group: true, stdout: (chunk) => line.resolve(String(chunk)) }));
  const grandchild = Number(await line.promise);
  child.signal("SIGKILL");
  await child.exited;
  await gone(grandchild);
});

async function started(script: string): Promise<Child> {
  const up = Promise.withResolvers<undefined>();
  const child = await startChild(
    node(script, {
      stdout: () => {
        up.resolve(undefined);
      },
    }),
  );
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
  const deadline = performance.now() + 5_000;
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
