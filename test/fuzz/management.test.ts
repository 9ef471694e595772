import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { messageOf } from "#kit/base/fault";
import { progressOf } from "../kit/fuzz/progress.ts";
import { randomRequest } from "../kit/fuzz/request.ts";
import { seededDice } from "../kit/world/chaos.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { basic, sendHttp } from "../kit/world/http.ts";

/** A seed replays the requests; `FUZZ_REQUESTS=100000` is the long run. */
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
const requests = Number(process.env["FUZZ_REQUESTS"] ?? 3_000);
const TOGETHER = 8;
/** Far below what a node has, and far above what an agent takes. */
const MOST_MIB = 400;
const ADMIN = basic("admin@test", "test-password");

await test(`no request makes the management API fail, and each answer is as documented (FUZZ_SEED=${seed})`, async () => {
  await using cluster = await startTestCluster({ nodes: 1 });
  await cluster.create({ name: "first", memory_size: 10_000_000 });
  const statuses = new Map<number, number>();
  const progress = progressOf("requests", requests);
  let left = requests;
  const play = async (number: number): Promise<void> => {
    const dice = seededDice(seed + number);
    while (left > 0) {
      left -= 1;
      progress(requests - left);
      const asked = randomRequest(dice, ADMIN);
      const { status = 0, text } = await sendHttp(cluster, asked).catch((error: unknown) => {
        const state = cluster.isRunning(1) ? "runs" : "has ended";
        throw new Error(
          `${messageOf(error)} to ${JSON.stringify(asked)}; the agent ${state}: ${cluster.log(1).slice(-2_000)}`,
        );
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // that a database is not available is what this route is there to say
      const isAnswer = status < 500 || (status === 503 && asked.path.includes("/availability"));
      assert.ok(isAnswer, `${JSON.stringify(asked)}: ${status} ${text} (FUZZ_SEED=${seed})`);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, (_, number) => play(number)));
  for (const expected of [200, 400, 401, 404, 405]) assert.ok(statuses.has(expected), `none was answered ${expected}`);
  const { status } = await sendHttp(cluster, { method: "GET", path: "/v1/cluster", headers: { authorization: ADMIN } });
  assert.equal(status, 200);
  assert.ok(residentMib(cluster.pid(1)) < MOST_MIB, `the agent takes ${residentMib(cluster.pid(1))} MiB`);
});

function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kib) / 1024);
}
