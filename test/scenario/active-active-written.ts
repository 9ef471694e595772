import assert from "node:assert/strict";
import { connectEngine, type EngineClient } from "../../src/ports/resp/engine-client.ts";
import { listOf, textOf } from "../../src/ports/resp/reply.ts";
import { SHARED, type SiteWriter } from "../kit/links/site-writer.ts";
import { until } from "../kit/time/until.ts";
import type { Site } from "../kit/world/sites.ts";
import { endpointOf, failWith, isUp, PATIENCE } from "./active-active-scene.ts";

/** Waits until each has written on, and asserts that no request has failed. */
export async function nothingFailed(writers: readonly SiteWriter[]): Promise<void> {
  const before = writers.map((writer) => writer.written().acknowledged);
  await until("both sites write on", () =>
    writers.every((one, index) => one.written().acknowledged > (before[index] ?? 0)),
  );
  assert.deepEqual(
    writers.flatMap((writer) => writer.written().complaints),
    [],
  );
}

/** Stops the writers, and waits until both sites hold the same: each increment and member that was acknowledged. */
export async function holdTheSame(both: readonly [Site, Site], writers: readonly SiteWriter[]): Promise<void> {
  for (const site of both) await isUp(site);
  const written = await Promise.all(writers.map((writer) => writer.stop()));
  const sum = (of: "acknowledged" | "failed"): number => written.reduce((all, each) => all + each[of], 0);
  const held = await Promise.all(both.map(heldBy));
  await until("both hold the same", async () => isSame(await Promise.all(both.map(heldBy))), PATIENCE).catch(
    failWith(both[0]),
  );
  for (const { counted, members } of await Promise.all(both.map(heldBy))) {
    // a request that failed may have been executed
    for (const total of [counted, members])
      assert.ok(
        total >= sum("acknowledged") && total <= sum("acknowledged") + sum("failed"),
        JSON.stringify({ held, written }),
      );
  }
}

interface Held {
  readonly counted: number;
  readonly members: number;
  readonly text: string;
}

async function heldBy(site: Site): Promise<Held> {
  const client: EngineClient = await connectEngine({ ...(await endpointOf(site)), timeoutMs: 10_000 });
  try {
    const counters = listOf(await client.call("MGET", ...SHARED.counters)).map(Number);
    const members = listOf(await client.call("SMEMBERS", SHARED.members)).map(textOf);
    const text = JSON.stringify([counters, members.toSorted()]);
    return { counted: counters.reduce((all, each) => all + each, 0), members: members.length, text };
  } finally {
    client.close();
  }
}

function isSame([first, second]: readonly Held[]): boolean {
  return first !== undefined && first.text === second?.text;
}
