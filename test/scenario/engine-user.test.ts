import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { ENGINES_UID, NODE_PATHS, NODE_UID } from "../../src/core/api/names.ts";

// Engines and agent as the users that they have in a pod, with the volume as the kubelet gives it to them.

const ROOT = join(import.meta.dirname, "../..");
const AGENT = { uid: NODE_UID, gid: NODE_UID };
const ENGINES = { uid: ENGINES_UID, gid: NODE_UID };
const skip = whyNot();

test(
  "engines of another user take over the data of their node, cannot read what is the agent's, and give the data back",
  { skip },
  async () => {
    await using node = await folders();
    const before = await node.agent("1", "of an older release");
    assert.deepEqual([before.found, await userOf(before.engine)], ["", NODE_UID]);
    await before.end();

    node.starter();
    const own = await node.agent("2", "of its own user", node.shared);
    assert.deepEqual([own.found, await userOf(own.engine)], ["of an older release", ENGINES_UID]);
    const ofAgent = ["environ", "mem", "fd", "cwd/", "root/"].map((name) => `/proc/${own.pid}/${name}`);
    for (const path of [node.token, ...ofAgent]) assert.match(readAsEngine(path), /EACCES|EPERM/, path);
    await own.end();

    // an older release again, before the upgrade is irreversible
    const back = await node.agent("3", "of an older release again");
    assert.deepEqual([back.found, await userOf(back.engine)], ["of its own user", NODE_UID]);
    await back.end();
    const removed = spawnSync("rm", ["-r", join(node.data, "db-1")], { ...AGENT, encoding: "utf8" });
    assert.equal(removed.stderr, "", "the agent removes what engines have written");
  },
);

/** Of a pod: the volume of the data as `fsGroup` leaves it, and a token for the agent. */
async function folders() {
  // the temporary folder of a test run is for its own user
  const root = await mkdtemp("/tmp/engine-user-");
  const [data, shared, token] = [join(root, NODE_PATHS.data), join(root, NODE_PATHS.shared), join(root, "token")];
  await chmod(root, 0o755);
  await mkdir(data, { recursive: true });
  await chown(data, 0, NODE_UID);
  await chmod(data, 0o2770);
  await writeFile(token, "secret", { mode: 0o600 });
  await chown(token, NODE_UID, NODE_UID);
  const running: ChildProcess[] = [];
  const run = (user: typeof AGENT, ...args: readonly string[]): ChildProcess => {
    const env = { PATH: process.env["PATH"] ?? "", CONTAINER_ROOT: root };
    const child = spawn(process.execPath, [...args], { ...user, cwd: "/", env, stdio: ["pipe", "pipe", "inherit"] });
    running.push(child);
    return child;
  };
  return {
    data,
    shared,
    token,
    starter: () => run(ENGINES, join(ROOT, "src/bin/store.ts"), "starter"),
    agent: (...args: readonly string[]) =>
      playAgent(run(AGENT, join(ROOT, "test/kit/engines/play-agent.ts"), data, ...args)),
    async [Symbol.asyncDispose]() {
      for (const child of running) child.kill("SIGKILL");
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Why this cannot be played here; false when it can. */
function whyNot(): string | false {
  if (process.getuid?.() !== 0 || process.platform !== "linux") return "needs root to start processes as other users";
  const program = `require("node:fs").accessSync(${JSON.stringify(join(ROOT, "src/bin/store.ts"))})`;
  const { status } = spawnSync(process.execPath, ["-e", program], { ...AGENT, cwd: "/" });
  return status === 0 ? false : "other users cannot read this checkout, or its Node";
}

/** What an agent found, once it serves. */
async function playAgent(child: ChildProcess) {
  assert.ok(child.stdout !== null);
  const ended = once(child, "close").then(([code]) => assert.fail(`the agent ended with ${code} before it served`));
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [string];
  const { found, engine } = JSON.parse(line) as { found: string; engine: number };
  const end = async (): Promise<void> => {
    child.stdin?.end();
    if (child.exitCode === null) await once(child, "exit");
    assert.equal(child.exitCode, 0);
  };
  return { found, engine, pid: child.pid, end };
}

/** The user of a process. */
async function userOf(pid: number): Promise<number> {
  return Number(/^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** What a program says that runs as the user of engines and reads a path. */
function readAsEngine(path: string): string {
  const script = `const fs = require("node:fs"); fs.closeSync(fs.openSync(${JSON.stringify(path)}, "r")); fs.readdirSync(${JSON.stringify(path)})`;
  return spawnSync(process.execPath, ["-e", script], { ...ENGINES, cwd: "/", encoding: "utf8" }).stderr;
}
