import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import type { ProxyPort } from "./ports.ts";
import { switchOver } from "./switchover.ts";

test("the ways that a hold takes are tried before it until they are quick, and one that stays slow stops no move", async () => {
  const [engine = ""] = engineNames();
  await using shard = await startShard([engine, engine]);
  const ports = shard.ports();
  const asked: string[] = [];
  const slow = ({ node, send, ...proxy }: ProxyPort): ProxyPort => ({
    ...proxy,
    node,
    send: async (command) => {
      if (node === 2) asked.push(command.op);
      if (node === 2 && command.op === "quiet") await sleep(30);
      return send(command);
    },
  });
  const move = { record: shard.record(), shard: 1, to: 2 };
  const result = await switchOver(move, { ...ports, proxies: ports.proxies.map(slow) });
  assert.equal(result.kind, "done", JSON.stringify(result));
  const tried = asked.slice(asked.indexOf("prepare") + 1, asked.indexOf("hold"));
  assert.ok(tried.length >= 2 && tried.every((op) => op === "quiet"), asked.join(" "));
});
