import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { APP_LABEL } from "../../src/core/api/names.ts";
import { ConfigMaps, Deployments, Events, Pods, Secrets } from "#kit/kube/builtin";
import { createLicenseAuthority } from "../../src/ports/management/license.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { imagesOf } from "../../src/core/releases/catalogue/images.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { createPod } from "../kit/kubernetes/pods.ts";
import { PATIENCE, startStorectlWorld } from "../kit/world/storectl-world.ts";
import { until } from "#kit/testing/until";

const exec = promisify(execFile);
const NAMESPACE = "default";
const OURS = { app: APP_LABEL };
const OPEN = ["ca.crt", "tls.crt", "cert", "username", "port", "service_names"];
/** Not in any Secret: only its place or its look gives it away. */
const WORD = "pl4nted-w0rd";
const PRIVATE = createLicenseAuthority().privateKey;
/** In a Secret, and from there in places that look harmless. */
const KNOWN = "zebra-umbrella-17";

await using world = await startStorectlWorld(latestRelease());
await plant();
const archive = join(world.dir, "support.tar.gz");
const made = await world.storectl("support-bundle", "--out", archive);
assert.equal(made.code, 0, made.stderr);
const everything = await unpacked();

await test("is an archive for its owner alone, whose report has the state and what was read", async () => {
  assert.equal((await stat(archive)).mode & 0o777, 0o600);
  const { stdout } = await exec("tar", ["-tzf", archive]);
  for (const path of [
    "report.txt",
    "objects/clusters.yaml",
    "management/bdbs.yaml",
    "logs/rec-0_store-enterprise-node.log",
  ])
    assert.ok(stdout.split("\n").includes(`support-rec/${path}`), stdout);
  const report = (await exec("tar", ["-xzOf", archive, "support-rec/report.txt"])).stdout;
  assert.match(report, /^Support bundle of default\/rec, .*\n=+\n/);
  assert.match(report, /What blocks\n-+\n/);
  assert.match(report, /What could not be looked at\n-+\nnothing\n/);
});

await test("holds no value of any Secret, not even in Base64", async () => {
  const { items } = await world.kube.list(Secrets, { namespace: NAMESPACE });
  const values = items.flatMap(({ metadata, data = {} }) =>
    Object.entries(data)
      .filter(([key]) => !OPEN.includes(key))
      .map(([key, encoded]) => ({ where: `${metadata.name}/${key}`, encoded })),
  );
  assert.ok(values.length >= 6, "there are secrets to be found");
  for (const { where, encoded } of values) {
    const plain = Buffer.from(encoded, "base64").toString();
    for (const each of [plain, plain.trim(), encoded, JSON.stringify(plain).slice(1, -1)])
      assert.ok(!everything.includes(each), `the archive holds ${where}`);
  }
  assert.match(everything, /redb-orders[^]*password \(\d+ bytes\)/);
});

await test("holds nothing that was planted: in specs, environments, arguments, annotations, records, events and logs", () => {
  for (const planted of [WORD, KNOWN, PRIVATE.split("\n")[1] ?? "", Buffer.from(KNOWN).toString("base64")]) {
    const at = everything.indexOf(planted);
    assert.ok(at < 0, `... ${everything.slice(Math.max(0, at - 200), at + 60)}`);
  }
  for (const path of ["planted", "clusters", "events", "records", "deployments"])
    assert.match(everything, new RegExp(path), "the places themselves are there");
  assert.ok((everything.match(/\[redacted\]/g) ?? []).length > 12);
});

await test("an archive that is there is not written over, and a name is made of cluster and time", async () => {
  const { code, stderr } = await world.storectl("support-bundle", "--out", archive);
  assert.equal(code, 1);
  assert.match(stderr, /^CLI_OUTPUT: .*support\.tar\.gz cannot be written: it is there already/);
});

/** A word that is a secret wherever one may put it. */
async function plant(): Promise<void> {
  const { kube } = world;
  const metadata = { name: "planted", namespace: NAMESPACE, labels: OURS };
  await kube.create(Secrets, { metadata: { name: "planted", namespace: NAMESPACE }, stringData: { anything: KNOWN } });
  await kube.patch(
    Clusters,
    { name: "rec", namespace: NAMESPACE },
    {
      type: "merge",
      body: {
        metadata: {
          annotations: { note: `the word is ${KNOWN}`, "kubectl.kubernetes.io/last-applied-configuration": WORD },
        },
        spec: {
          license: `-----BEGIN STORE LICENSE-----\n${WORD}\n-----END STORE LICENSE-----\n`,
          userDefinedModules: [
            { name: "m", source: { https: { url: `https://me:${WORD}@localhost:1/m.zip?token=${WORD}` } } },
          ],
        },
      },
    },
  );
  await kube.create(ConfigMaps, {
    metadata,
    data: { record: JSON.stringify({ password: WORD, deep: [{ privateKey: WORD }] }), note: PRIVATE, known: KNOWN },
  });
  await kube.create(Deployments, {
    metadata,
    spec: {
      replicas: 0,
      selector: { matchLabels: { planted: "yes" } },
      template: {
        metadata: { labels: { planted: "yes" } },
        spec: {
          containers: [
            {
              name: "main",
              image: "none",
              args: ["--auth-token", WORD, `--password=${WORD}`],
              env: [
                { name: "ADMIN_PASSWORD", value: WORD },
                { name: "HARMLESS", value: `redis://default:${WORD}@orders:10000` },
                { name: "PLAIN", value: KNOWN },
              ],
            },
          ],
        },
      },
    },
  });
  await kube.create(Events, {
    metadata: { name: "planted", namespace: NAMESPACE },
    involvedObject: { kind: "StoreEnterpriseCluster", name: "rec", namespace: NAMESPACE },
    reason: "Planted",
    message: `Authorization: Basic ${Buffer.from(`admin:${WORD}`).toString("base64")} password=${WORD} ${KNOWN}`,
    type: "Warning",
  });
  await logSecrets();
}

/** A pod of ours that says in its log what it should not. */
async function logSecrets(): Promise<void> {
  const lines = [
    `AUTH ${WORD}`,
    JSON.stringify({ level: "info", password: WORD }),
    PRIVATE,
    `known ${KNOWN}`,
    "the end",
  ];
  const script = `console.log(${JSON.stringify(lines.join("\n"))}); setInterval(() => {}, 1000)`;
  const image = imagesOf(latestRelease()).operator;
  await createPod(world.kube, "planted", { name: "main", image, command: [process.execPath, "-e", script] });
  const labels = { metadata: { labels: OURS } };
  await world.kube.patch(Pods, { name: "planted", namespace: NAMESPACE }, { type: "merge", body: labels });
  const log = `/api/v1/namespaces/${NAMESPACE}/pods/planted/log`;
  await until("its log", async () => (await world.kube.raw("GET", log).catch(() => "")).includes("the end"), PATIENCE);
}

async function unpacked(): Promise<string> {
  const { stdout } = await exec("tar", ["-xzOf", archive], { maxBuffer: 1 << 28 });
  return stdout;
}
