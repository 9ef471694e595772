import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube } from "#kit/kube/kube";
import { imagesOf } from "../../src/core/releases/catalogue/images.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { createPod, podWhen } from "../kit/kubernetes/pods.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { STORE, STORECTL } from "../kit/programs.ts";

await using stack = new AsyncDisposableStack();
const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "storectl-"))).path;
stack.defer(async () => void (await storectl("local", "down")));

await test("storectl local: up, a second world, killed and up again, down", () =>
  steps(dir, {
    "up starts a world that a client can use, and says how; up again changes nothing": startWorld,
    "a second world in the same folder is refused": refuseSecond,
    "when the world is killed, every process of its pods ends, and up brings it back": bringBack,
    "down ends the world and every process of it; down again is no failure": stopWorld,
  }));

const mistakes: { name: string; args: string[]; says: RegExp }[] = [
  { name: "no command", args: [], says: /a command is missing; there are: .*storectl local(,|$)/m },
  { name: "half a command", args: ["local"], says: /missing; there are: storectl local up, storectl local down/ },
  {
    name: "an unknown command",
    args: ["locl"],
    says: /unknown command 'locl' \(did you mean local\?\); there are: .*storectl local(,|$)/m,
  },
  { name: "an unknown option", args: ["local", "status", "--frob"], says: /unknown option '--frob'/ },
  {
    name: "an unknown form of output",
    args: ["local", "status", "-o", "yaml"],
    says: /Allowed choices are text, json/,
  },
  { name: "an argument too many", args: ["local", "status", "now"], says: /too many arguments/ },
];
for (const { name, args, says } of mistakes) {
  await test(`${name} ends with exit code 2 and a clear sentence`, async () => {
    const { code, stderr } = await storectl(...args);
    assert.equal(code, 2);
    assert.match(stderr, says);
    assert.match(stderr, /remedy:/);
  });
}

await test("a reader that goes away early is no failure", async () => {
  const child = spawn(process.execPath, [STORECTL, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});

await test("a folder that cannot be made is named", async () => {
  const { code, stderr } = await storectl("local", "up", "--dir", join(STORE, "below-a-file"));
  assert.equal(code, 1);
  assert.match(stderr, /a part of its path is no folder/);
});

async function startWorld(): Promise<void> {
  const first = await storectl("local", "up");
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /is up: https:\/\/127\./);
  assert.ok(first.stdout.includes(`export KUBECONFIG=${join(dir, "kubeconfig")}`));
  const { pid } = await status();
  const again = await storectl("local", "up");
  assert.match(again.stdout, /is up already/);
  assert.equal((await status()).pid, pid);
}

async function refuseSecond(): Promise<void> {
  const { code, stderr } = await run(STORE, ["world", "--dir", dir]);
  assert.equal(code, 1);
  assert.match(stderr, /WORLD_IN_USE: a world runs in .* already, as process \d+/);
  assert.equal((await status()).state, "running");
}

async function bringBack(): Promise<void> {
  const kube = client();
  // the program and a child of it that ignores SIGTERM
  const script = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: "ignore" });
    console.log(process.pid, child.pid);
    setInterval(() => {}, 1000);`;
  const container = {
    name: "main",
    image: imagesOf(latestRelease()).operator,
    command: [process.execPath, "-e", script],
  };
  await createPod(kube, "parent", container);
  await until("its log", async () => (await log(kube, "parent")) !== "", { withinMs: 30_000 });
  const pids = (await log(kube, "parent")).trim().split(" ").map(Number);
  assert.deepEqual(pids.map(isAlive), [true, true]);
  assert.equal((await status()).processes, 1);
  await kube.close();

  process.kill((await status()).pid ?? 0, "SIGKILL");
  await until("all are gone", () => !pids.some(isAlive), { withinMs: 30_000 });
  assert.equal((await status()).state, "stopped");

  assert.equal((await storectl("local", "up")).code, 0);
  const next = client();
  const pod = await podWhen(
    next,
    "parent",
    "runs again",
    (seen) => seen?.status?.containerStatuses?.[0]?.restartCount === 1,
  );
  assert.equal(pod?.status?.containerStatuses?.[0]?.lastState?.terminated?.reason, "ContainerStatusUnknown");
  // of the program that runs now
  await until("its log again", async () => /^\d+ \d+\n$/.test(await log(next, "parent")), { withinMs: 30_000 });
  await next.close();
}

async function stopWorld(): Promise<void> {
  const { pid = 0 } = await status();
  const kube = client();
  const pids = (await log(kube, "parent")).trim().split(/\s+/).map(Number);
  await kube.close();
  const { stdout, code } = await storectl("local", "down");
  assert.equal(code, 0);
  assert.match(stdout, /is stopped; its state stays/);
  assert.deepEqual([pid, ...pids].filter(isAlive), []);
  assert.deepEqual(await status(), { state: "stopped", dir });
  assert.match((await storectl("local", "down")).stdout, /was not running/);
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function storectl(...args: readonly string[]): Promise<Ran> {
  return run(STORECTL, args);
}

async function run(program: string, args: readonly string[]): Promise<Ran> {
  const env = { ...process.env, STORE_LOCAL_DIR: dir };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env, timeout: 180_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

async function status(): Promise<{ state: string; dir: string; pid?: number; processes?: number }> {
  return JSON.parse((await storectl("local", "status", "-o", "json")).stdout);
}

function client(): Kube & { close(): Promise<void> } {
  return connect(loadKubeConfig({ KUBECONFIG: join(dir, "kubeconfig") }));
}

async function log(kube: Kube, pod: string): Promise<string> {
  return kube.raw("GET", `/api/v1/namespaces/default/pods/${pod}/log`).catch(() => "");
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ESRCH
  }
}
