import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import { NodeLink, type LinkConfiguration } from "./link.ts";

/** Counts what it is configured with, shows the count as its status, and ends where port 0 is asked for. */
const SCRIPT = `
  let configured = 0;
  process.send({ ready: true });
  process.on("message", ({ id, command }) => {
    if (command.op === "configure" && command.listen.port === 0) process.exit(3);
    if (command.op === "configure") configured += 1;
    const status = { guid: "a", engine: "", knownKeys: configured, keptBytes: process.pid, sites: [] };
    process.send({ id, reply: { ok: true, op: command.op, databases: [status] } });
  });`;

const served = (port: number): LinkConfiguration => ({
  listen: { host: "127.0.0.1", port },
  certificate: { certificate: "", key: "", authorities: "", serverName: "east" },
  databases: [],
});

test("a link runs while there is something to link, and is configured only when that differs", async () => {
  let ready = 0;
  await using scene = linkScene(() => (ready += 1));
  const { link } = scene;
  assert.deepEqual(await link.status(), []);
  await link.apply(served(1));
  await until("it runs", () => ready === 1);
  for (const port of [1, 1, 2, 2]) await link.apply(served(port));
  assert.deepEqual(link.used(), served(2));
  scene.skip(1_000);
  const [status] = await link.status();
  assert.equal(status?.knownKeys, 2);
  await link.apply(served(3));
  const answer = await link.status();
  assert.equal(answer[0]?.knownKeys, 3, "what was said of the former configuration counts no more");
  assert.equal(await link.status(), answer, "an answer counts for a second");
  scene.skip(1_000);
  assert.notEqual(await link.status(), answer);
  await link.apply(undefined);
  assert.deepEqual([link.used(), await link.status()], [undefined, []]);
  await link.apply(served(3));
  await until("another one runs", () => ready === 2);
});

test("a link that ends is started again, and configured again", async () => {
  let ready = 0;
  await using scene = linkScene(() => (ready += 1));
  const { link } = scene;
  await link.apply(served(1));
  await until("it runs", () => ready === 1);
  await assert.rejects(link.apply(served(0)), { code: "AGENT_LINK_GONE" });
  await until("another one runs", () => ready === 2);
  assert.equal(link.used(), undefined);
  await link.apply(served(1));
  assert.equal((await link.status())[0]?.knownKeys, 1);
});

/** A link whose time passes only when it is put forward. */
function linkScene(onReady: () => void) {
  let now = 0;
  const clock = { ...systemClock, uptimeMs: () => now };
  const link = new NodeLink({ args: ["-e", SCRIPT], env: {}, clock, log: silentLog, onReady });
  return {
    link,
    skip: (ms: number) => {
      now += ms;
    },
    [Symbol.asyncDispose]: () => link.stop(),
  };
}
