import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { askFreshEngine } from "./engine-probe.ts";
import { discoverEngines } from "./engines.ts";

const [engine] = await discoverEngines(process.env);

test("an engine whose port another process takes before it listens is asked at another port", async () => {
  assert.ok(engine, "there is no engine on this machine");
  const ports: number[] = [];
  await using stranger = createServer((socket) => socket.destroy());
  const configuration = (port: number): readonly string[] => {
    if (ports.length === 0) stranger.listen(port, "127.0.0.1");
    ports.push(port);
    return [`port ${port}`];
  };
  const probe = { configuration };
  assert.equal(await askFreshEngine(engine, probe, systemClock, (client) => client.call("PING")), "PONG");
  assert.equal(ports.length, 2);
});

test("an engine that refuses its configuration is not started again", async () => {
  assert.ok(engine, "there is no engine on this machine");
  let starts = 0;
  const configuration = (port: number): readonly string[] => {
    starts += 1;
    return [`port ${port}`, "no-such-directive yes"];
  };
  await assert.rejects(askFreshEngine(engine, { configuration }, systemClock, (client) => client.call("PING")));
  assert.equal(starts, 1);
});
