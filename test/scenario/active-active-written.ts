import assert from "node:assert/strict";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { connectEngine, type EngineClient } from "../../src/ports/resp/engine-client.ts";
import { listOf, textOf } from "../../src/ports/resp/reply.ts";
import { SHARED, writeAtSite, type SiteWriter } from "../kit/links/site-writer.ts";
import { until } from "#kit/testing/until";
import { startSites, type Site, type Sites } from "../kit/world/sites.ts";
import { database, endpointOf, failWith, isUp, PATIENCE, serves } from "./active-active-scene.ts";

/** Two clusters that hold one database, `carts`, with clients that write at each. */
export interface WrittenSites extends AsyncDisposable {
  readonly sites: Sites;
  readonly both: readonly [Site, Site];
  readonly writers: readonly SiteWriter[];
}

/** What the database of the sites is to be besides. */
export interface WrittenOptions {
  /** How many shards it is made with, and how many west has of these. */
  readonly shards?: { readonly all: number; readonly west: number };
}

/** Starts them, with the database at this version. */
export async function startWrittenSites(storeVersion: string, { shards }: WrittenOptions = {}): Promise<WrittenSites> {
  await using stack = new AsyncDisposableStack();
  const sites = stack.use(await startSites());
  const [east, west] = await sites.open(["east", "west"], latestRelease());
  assert.ok(east !== undefined && west !== undefined);
  const both = [east, west] as const;
  await sites.introduce(both);
  await east.apply(
    database("carts", {
      participatingClusters: [
        { name: east.name },
        { name: west.name, ...(shards === undefined ? {} : { shardCount: shards.west }) },
      ],
      storeVersion,
      globalConfigurations: { replication: true, ...(shards === undefined ? {} : { shardCount: shards.all }) },
    }),
  );
  for (const site of both) await serves(site, "carts", storeVersion);
  for (const site of both) await isUp(site);
  const writers: SiteWriter[] = [];
  for (const site of both) writers.push(stack.use(await writeAtSite(site.name, await endpointOf(site))));
  const owned = stack.move();
  return { sites, both, writers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Waits until each has written on, and asserts that no request has failed. */
export async function nothingFailed({ writers }: WrittenSites): Promise<void> {
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
export async function holdTheSame({ both, writers }: WrittenSites): Promise<void> {
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
