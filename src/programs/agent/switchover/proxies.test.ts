import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, test } from "node:test";
import type { ProxyCommand } from "../../../ports/management/proxy-control.ts";
import { sendToProxies } from "./proxies.ts";

const TARGET = { host: "127.0.0.1", port: 1 };
/** Three connections one after the other, each with a TLS handshake of a second at a busy engine. */
const SLOW_MS = 3_000;

const ROWS: readonly (readonly [rule: string, command: ProxyCommand, isInTime: boolean])[] = [
  ["connects to the next primary", { op: "prepare", bdb: 1, epoch: 2, target: TARGET }, true],
  ["connects to the next shards", { op: "prepare-table", bdb: 1, tableEpoch: 2, shards: [] }, true],
  ["is asked something while clients wait", { op: "release", bdb: 1, epoch: 2, target: TARGET }, false],
];

void describe("a proxy that takes three seconds", { concurrency: true }, () => {
  for (const [rule, command, isInTime] of ROWS)
    void test(`${isInTime ? "is waited for" : "counts as silent"} when it ${rule}`, async () => {
      const send = async () => {
        await sleep(SLOW_MS);
        return { ok: true, op: "prepare" } as const;
      };
      const proxy = { node: 1, send, isDead: () => false, isFenced: async () => false };
      const [outcome] = await sendToProxies([proxy], command);
      assert.equal(outcome?.why, isInTime ? undefined : "no answer within 2000 ms");
    });
});
