import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { clusterNames, databaseSecretOf } from "../../src/core/api/names.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets } from "#kit/kube/builtin";
import { callEngine, type EngineOptions } from "../../src/ports/resp/engine-client.ts";
import { EngineTls } from "../../src/ports/resp/engine-tls.ts";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import { DEMO, demoDatabase } from "../../src/programs/demo/steps/objects.ts";
import {
  createCluster,
  installOperator,
  upgradeCluster,
  upgradeDatabase,
  upgradeOperator,
} from "../../src/programs/demo/steps/steps.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { startCapture, streamWith, whyNoCapture } from "../kit/network/capture.ts";
import { authorityNamed, clientPair } from "../kit/tls/certificates.ts";
import { until } from "#kit/testing/until";
import { startStoryWorld, type StoryWorld } from "../kit/world/story-world.ts";

// Everything that passes between operator, nodes, engines and clients while all of it is upgraded, for a database with TLS.

const { namespace, cluster, database } = DEMO;
const NEEDLES = Array.from({ length: 3 }, () => `needle-${randomBytes(12).toString("hex")}`);

await test(
  "through the upgrade of operator, cluster and database passes no key, value or password of a database with TLS",
  { skip: whyNoCapture() ?? false },
  async () => {
    await using play = await startStoryWorld();
    const { stage, older, latest, releases, world } = play;
    await installOperator(stage, bundleFor(older), older);
    await createCluster(stage, older);
    const { metadata, spec } = demoDatabase("7.2");
    await world.kube.create(Databases, { metadata, spec: { ...spec, tls: "enabled" } });
    const isActive = async () => (await world.kube.get(Databases, metadata))?.status?.status === "active";
    await until("the database is active", isActive, { withinMs: 120_000, everyMs: 100 });
    const endpoint = await endpointOf(play);
    await using capture = await startCapture([world.subnet.replace(/\.$/, "")]);
    await using load = writeOn(endpoint);
    await load.goesOn();
    await upgradeOperator(stage, releases, latest);
    await upgradeCluster(stage, latest);
    await load.goesOn();
    await upgradeDatabase(stage, "8.0");
    await load.goesOn();
    const passwords = await passwordsOf(play);
    const streams = await capture.stop();
    for (const port of [/:2\d{4}$/, new RegExp(`:${endpoint.port}$`), /:9443$/])
      assert.ok(
        streams.some(({ from, to }) => port.test(to) && hostOf(from) !== hostOf(to)),
        `${port} is seen`,
      );
    for (const needle of [...NEEDLES, ...passwords])
      for (const text of [needle, Buffer.from(needle).toString("base64")])
        assert.equal(streamWith(streams, text), undefined, `${needle.slice(0, 6)}… passes`);
  },
);

function hostOf(end: string): string {
  return end.slice(0, end.indexOf(":"));
}

/** As an application finds it, and how that connects to it. */
async function endpointOf({ stage, world }: StoryWorld): Promise<EngineOptions> {
  const { host, port, password = "" } = await findEndpoint(stage);
  const secret = await world.kube.get(Secrets, { name: databaseSecretOf(database), namespace });
  const authority = Buffer.from(secret?.data?.["ca.crt"] ?? "", "base64").toString();
  const { certificate, key } = clientPair(authorityNamed("not asked for"));
  const tls = new EngineTls();
  tls.use({ certificate, key, authority, serverName: clusterNames.databaseHost(database, namespace) });
  return { host, port, password, tls, timeoutMs: 10_000 };
}

/** A client that writes the needles as keys and values without a pause, each time on a connection of its own. */
function writeOn(endpoint: EngineOptions) {
  let [written, isOver] = [0, false];
  const running = (async () => {
    while (!isOver)
      for (const needle of NEEDLES)
        await callEngine(endpoint, "SET", `key:${needle}`, `value:${needle}`).then(
          () => (written += 1),
          () => undefined, // the node that it was led to is being replaced
        );
  })();
  return {
    goesOn: async () => {
      const before = written;
      await until("the client goes on", () => written > before + 10, { withinMs: 30_000, everyMs: 50 });
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await running;
    },
  };
}

/** Of clients, of the cluster at its engines, and of its management API. */
async function passwordsOf({ world }: StoryWorld): Promise<readonly string[]> {
  const keys = [
    [databaseSecretOf(database), "password"],
    [clusterNames.databaseSecret(cluster, 1), "engines"],
    [clusterNames.credentialsSecret(cluster), "password"],
  ] as const;
  return Promise.all(
    keys.map(async ([name, key]) => {
      const secret = await world.kube.get(Secrets, { name, namespace });
      const text = Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
      assert.ok(text.length > 15, `${name} has a password`);
      return text;
    }),
  );
}
