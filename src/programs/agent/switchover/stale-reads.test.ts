import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { startShard, type TestShard } from "../../../../test/kit/engines/shard.ts";
import { until } from "#kit/testing/until";
import type { ProxyCommand } from "../../../ports/management/proxy-control.ts";
import type { ShardPorts, SwitchoverStep } from "./ports.ts";
import { switchOver } from "./switchover.ts";

const ENGINE = engineNames()[0] ?? "none";
/** Long enough for an answer that must not come. */
const SILENCE_MS = 300;

test("a proxy that was started during the hold gives no answer of the former primary once others write", async () => {
  await using shard = await startShard([ENGINE, ENGINE]);
  await using started = await startProxy();
  const endpoint = endpointFor(shard.engine(1));
  let reader: RawClient | undefined;
  const { answer, ...missed } = await missedBy(
    shard,
    shard.ports(async (step) => {
      if (step !== "pause") return;
      await done(started.send({ op: "configure", endpoints: [endpoint] }));
      reader = await RawClient.connect(endpoint.listen);
      assert.equal(await reader.ask("GET", "k"), "old");
    }),
    () => reader,
  );
  assert.deepEqual(missed, { beforeDemotion: undefined, readsOfReplica: 0 });
  await done(started.send({ op: "release", bdb: 1, epoch: 2, target: addressIn(shard, 2) }));
  assert.equal(await answer, "new");
  reader?.close();
});

test("a proxy whose hold has ended before its release arrives gives none either", async () => {
  await using shard = await startShard([ENGINE, ENGINE]);
  const [, reader] = await shard.clients();
  assert.equal(await reader?.ask("GET", "k"), null);
  const ports = shard.ports(async (step) => {
    if (step !== "fence") return;
    await until("the hold has ended", async () => (await shard.proxies[1]?.stats())?.holdsExpired === 1);
    assert.equal(await reader?.ask("GET", "k"), "old");
  });
  const { answer, ...missed } = await missedBy(shard, withSecond(ports, { holdMs: 50 }), () => reader);
  assert.deepEqual(missed, { beforeDemotion: undefined, readsOfReplica: 0 });
  await done(proxyOf(shard, 2).send({ op: "release", bdb: 1, epoch: 2, target: addressIn(shard, 2) }));
  assert.equal(await answer, "new");
  reader?.close();
});

test("a proxy that is started after the demotion does not read from the former primary, which is a replica then", async () => {
  await using shard = await startShard([ENGINE, ENGINE]);
  await using started = await startProxy();
  const endpoint = endpointFor(shard.engine(1));
  let reader: RawClient | undefined;
  const ports = shard.ports(async (step) => {
    if (step !== "commit") return;
    await done(started.send({ op: "configure", endpoints: [endpoint] }));
    reader = await RawClient.connect(endpoint.listen);
  });
  const { answer, ...missed } = await missedBy(shard, ports, () => reader);
  assert.deepEqual(missed, { beforeDemotion: undefined, readsOfReplica: 0 });
  await done(started.send({ op: "release", bdb: 1, epoch: 2, target: addressIn(shard, 2) }));
  assert.equal(await answer, "new");
  reader?.close();
});

/**
 * Moves the primary while a client of a proxy that has missed the release reads: the answer that it got when others had written and the former
 * primary was not demoted yet, and how often the former primary answered reads as a replica.
 */
async function missedBy(shard: TestShard, ports: ShardPorts, reader: () => RawClient | undefined) {
  const former = shard.engine(1);
  const [writer] = await shard.clients();
  assert.equal(await writer?.ask("SET", "k", "old"), "OK");
  let beforeDemotion: unknown;
  let readsOfReplica = 0;
  let answer: Promise<unknown> | undefined;
  const ask = (): void => void (answer ??= reader()?.ask("GET", "k"));
  const before = async (step: SwitchoverStep): Promise<void> => {
    await ports.before?.(step);
    if (step === "demote") {
      assert.equal(await writer?.ask("SET", "k", "new"), "OK");
      ask();
      beforeDemotion = await Promise.race([answer, sleep(SILENCE_MS)]);
    } else if (step === "commit") {
      await until("the former primary is a replica", async () => (await former.replication()).link?.status === "up");
      await former.call("CONFIG", "RESETSTAT");
      ask();
      await sleep(SILENCE_MS);
      readsOfReplica = Number(
        /cmdstat_get:calls=(\d+)/.exec(String(await former.call("INFO", "commandstats")))?.[1] ?? 0,
      );
    }
  };
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, { ...ports, before });
  assert.equal(result.kind, "done", JSON.stringify(result));
  writer?.close();
  return { beforeDemotion, readsOfReplica, answer };
}

/** Ports whose second proxy gets no release, and holds for a shorter time. */
function withSecond(ports: ShardPorts, { holdMs }: { readonly holdMs: number }): ShardPorts {
  const lose = (): Promise<never> => Promise.reject(new Error("lost on its way"));
  const proxies = ports.proxies.map((proxy) => {
    if (proxy.node !== 2) return proxy;
    const send = (command: ProxyCommand) =>
      command.op === "release" ? lose() : proxy.send(command.op === "hold" ? { ...command, holdMs } : command);
    return { ...proxy, send };
  });
  return { ...ports, proxies };
}

function proxyOf(shard: TestShard, node: number) {
  const proxy = shard.proxies[node - 1];
  assert.ok(proxy !== undefined);
  return proxy;
}

function addressIn(shard: TestShard, instance: number) {
  const { host, port } = shard.engine(instance);
  return { host, port };
}
