import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { startCapture, streamWith, whyNoCapture, type CapturedStream } from "../kit/network/capture.ts";
import { secured } from "../kit/tls/secured-endpoint.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { internalPasswordOf } from "../kit/world/engine-access.ts";
import { filledDatabase } from "../kit/world/filled-database.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { until } from "#kit/testing/until";

// What passes between the nodes of a cluster while a database with TLS is upgraded and its nodes are replaced.

const PATIENCE = { withinMs: 40_000, everyMs: 25 };
const NODES = [1, 2, 3];
const LOGIN = { authentication_redis_pass: "password-of-clients" };

await test(
  "between nodes and to endpoints passes no key, value or password of a database with TLS, through an upgrade and the restart of each node",
  { skip: whyNoCapture() ?? false },
  async () => {
    await using cluster = await startTestCluster();
    const addresses = NODES.map((uid) => cluster.address(uid));
    await using capture = await startCapture(addresses);
    const open = { name: "open", replication: true, ...LOGIN };
    await using plain = await filledDatabase(cluster, open);
    await using secret = await filledDatabase(cluster, { ...open, name: "secret", ...secured("secret") });
    const [canary, ...needles] = Array.from({ length: 5 }, () => `needle-${randomBytes(12).toString("hex")}`);
    assert.ok(canary !== undefined);
    await plain.call("SET", "seen", canary);
    const write = async (): Promise<void> => {
      for (const needle of needles) await secret.call("SET", `key:${needle}`, `value:${needle}`);
    };
    await write();
    await cluster.client.call("upgradeBdb", { params: { uid: secret.uid }, body: { store_version: "8.0" } });
    await until("it is upgraded", async () => (await secret.active()).redis_version === "8.0", PATIENCE);
    for (const uid of NODES) {
      await cluster.stop(uid);
      await cluster.start(uid);
      await secret.active();
      await write();
    }
    await secret.copied();
    const internal = await internalPasswordOf(cluster, secret.uid);
    const plainPort = primaryOf(await cluster.shards(plain.uid)).port;
    const { port } = await plain.active();
    const streams = (await capture.stop()).filter((stream) => !isOf(stream, port));

    assert.ok(streamWith(streams, canary), "what passes without TLS is seen");
    assert.ok(streams.some(({ to }) => to.endsWith(`:${plainPort}`)));
    const engines = new Set(
      (await cluster.shards(secret.uid)).map((shard) => `${cluster.address(nodeOf(shard))}:${shard.port}`),
    );
    assert.ok(streams.some(({ from, to }) => engines.has(to) && !from.startsWith(to.slice(0, to.indexOf(":")))));
    for (const needle of [...needles, internal, LOGIN.authentication_redis_pass, "test-password"])
      for (const text of [needle, Buffer.from(needle).toString("base64")])
        assert.equal(streamWith(streams, text), undefined, `${text} passes`);
  },
);

/** Clients of the database without TLS give the password to its endpoint as it is. */
function isOf({ from, to }: CapturedStream, port: number): boolean {
  return [from, to].some((end) => end.endsWith(`:${port}`));
}
