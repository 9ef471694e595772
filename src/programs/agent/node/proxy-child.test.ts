import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import { runProxyChild } from "./proxy-child.ts";

/** Replies to undrain, ends at a drain, and replies to nothing else. */
const SCRIPT = `
  process.send({ ready: true });
  process.on("message", ({ id, command }) => {
    if (command.op === "drain") process.exit(3);
    if (command.op === "undrain") process.send({ id, reply: { ok: true, op: "undrain" } });
  });`;

test("a proxy that ends is started again, and its unanswered commands fail", async (t) => {
  let ready = 0;
  const proxy = runProxyChild({
    args: ["-e", SCRIPT],
    env: {},
    clock: systemClock,
    log: silentLog,
    onReady: () => {
      ready += 1;
    },
    askOthers: () => Promise.resolve([]),
    askScripts: () => Promise.resolve([]),
    setParameters: () => Promise.resolve({ revision: 0 }),
  });
  t.after(() => proxy.stop());
  await assert.rejects(proxy.send({ op: "undrain" }), isGone);
  await until("it is ready", () => proxy.ready());
  assert.deepEqual(await proxy.send({ op: "undrain" }), { ok: true, op: "undrain" });
  const unanswered = proxy.send({ op: "stats" });
  await Promise.all([
    assert.rejects(unanswered, isGone),
    assert.rejects(proxy.send({ op: "drain", deadlineMs: 0 }), isGone),
  ]);
  await until("another one is ready", () => ready === 2);
  assert.deepEqual(await proxy.send({ op: "undrain" }), { ok: true, op: "undrain" });
  await proxy.stop();
  assert.equal(proxy.ready(), false);
});

function isGone(error: unknown): boolean {
  return error instanceof Fault && error.code === "AGENT_PROXY_GONE";
}
