import assert from "node:assert/strict";
import { test } from "node:test";
import type { Secret } from "kubernetes-types/core/v1.js";
import type { Kube, Stored } from "#kit/kube/kube";
import { backupSpec } from "../../../core/api/backup-spec.ts";
import { DATABASES_ANNOTATION } from "../../../core/api/names.ts";
import { sentenceOf } from "../../../core/planner/findings/finding.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { BackupStart } from "../../../ports/management/records/backups.ts";
import { beginBackup } from "./begin.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "access", AWS_SECRET_ACCESS_KEY: "secret" };
const S3 = { bucketName: "backups", awsSecretName: "keys" };
const PLACE = { namespace: "team-a", name: "nightly-1a2b", folder: "team-a/orders", isSaved: false };

test("the cluster is asked with what the spec says, and with the Secrets of its namespace", async () => {
  const s3 = {
    ...S3,
    regionName: "eu-1",
    endpoint: "https://store.example",
    pathStyle: true,
    caCertificateSecretName: "authority",
  };
  const scene = begin({ keys: { ...KEYS, AWS_SESSION_TOKEN: "token" }, authority: { "ca.crt": "PEM" } });
  await scene.ask({ databaseName: "orders", s3, bytesPerSecond: 5_000_000, verify: false });
  assert.deepEqual(scene.asked, [
    {
      name: "nightly-1a2b",
      folder: "team-a/orders",
      bytes_per_second: 5_000_000,
      verify: false,
      s3: {
        bucket: "backups",
        region: "eu-1",
        endpoint: "https://store.example",
        path_style: true,
        access_key_id: "access",
        secret_access_key: "secret",
        session_token: "token",
        ca_certificate: "PEM",
      },
    },
  ]);
  assert.deepEqual(scene.read, ["team-a/keys", "team-a/authority"]);
});

test("what the spec leaves out is that of AWS, and the backup is verified", async () => {
  const scene = begin({ keys: KEYS });
  await scene.ask({ databaseName: "orders", s3: S3 });
  const login = { access_key_id: "access", secret_access_key: "secret" };
  const s3 = { bucket: "backups", region: "us-east-1", path_style: false, ...login };
  assert.deepEqual(scene.asked, [{ name: "nightly-1a2b", folder: "team-a/orders", s3, verify: true }]);
});

const TEXT = `${"A".repeat(43)}=`;
const ENCRYPTED = { databaseName: "orders", s3: S3, encryption: { secretName: "ours" } };

test("the keys of an encrypted backup go with it, all of them", async () => {
  const scene = begin({ keys: KEYS, ours: { "key-1": `${TEXT}\n`, "key-2": TEXT } });
  await scene.ask(ENCRYPTED);
  const keys = ["key-1", "key-2"].map((name) => ({ name, key: TEXT }));
  assert.deepEqual([scene.asked[0]?.encryption, scene.read], [{ keys }, ["team-a/keys", "team-a/ours"]]);
});

for (const [rule, ours, reason, says] of [
  [
    "there is no Secret with keys",
    undefined,
    "SecretMissing",
    /^namespace team-a has no Secret "ours".*openssl rand -base64 32 \| kubectl create secret generic ours --from-file=key-1=\/dev\/stdin --dry-run=client -o yaml \| kubectl apply -f -$/,
  ],
  ["the Secret has no key", {}, "SecretMissing", /^the Secret "ours" has no key-1/],
  ["a key is none", { "key-1": "w0rd" }, "BackupKeysInvalid", /^the Secret "ours" (?!.*w0rd).*key-1 is not 32 bytes/],
  [
    "the Secret has something else too",
    { "key-1": TEXT, password: "w0rd" },
    "SecretNotGiven",
    /storeenterprise.io\/databases/,
  ],
] as const)
  test(`nothing is saved without encryption when ${rule}`, async () => {
    const scene = begin({ keys: KEYS, ...(ours === undefined ? {} : { ours }) });
    const answer = await scene.ask(ENCRYPTED);
    assert.ok("id" in answer);
    assert.deepEqual([answer.id, scene.asked], [reason, []]);
    assert.match(`${answer.evidence}; ${answer.remedy}`, says);
  });

for (const [rule, secrets, reason, remedy] of [
  [
    "there is no Secret",
    {},
    "SecretMissing",
    /"keys"; remedy: kubectl create secret generic keys --from-literal=AWS_ACCESS_KEY_ID=… --from-literal=AWS_SECRET_ACCESS_KEY=…$/,
  ],
  [
    "the Secret lacks a key",
    { keys: { AWS_ACCESS_KEY_ID: "access" } },
    "SecretMissing",
    /no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; remedy: kubectl -n team-a edit secret keys$/,
  ],
  [
    "the Secret has something else too, and was not given",
    { keys: { ...KEYS, password: "w0rd" } },
    "SecretNotGiven",
    /remedy: /,
  ],
] as const)
  test(`nothing is sent when ${rule}, and the way out can be typed`, async () => {
    const scene = begin(secrets);
    const answer = await scene.ask({ databaseName: "orders", s3: S3 });
    assert.ok("id" in answer);
    assert.deepEqual([answer.id, scene.asked], [reason, []]);
    assert.match(sentenceOf(answer), remedy);
  });

test("a Secret that holds more is used where its owner has given it to the database", async () => {
  const scene = begin({ keys: { ...KEYS, password: "w0rd" } }, { [DATABASES_ANNOTATION]: "orders" });
  await scene.ask({ databaseName: "orders", s3: S3 });
  assert.equal(scene.asked.length, 1);
});

test("a backup that is there needs the key that it was saved with, and gets no new one", async () => {
  const spec = { databaseName: "orders", s3: S3, encryption: { secretName: "ours" } };
  for (const [isSaved, remedy] of [
    [false, /^openssl rand -base64 32 \| /],
    [true, /^kubectl create secret generic ours --from-file=key-1/],
  ] as const) {
    const answer = await begin({ keys: KEYS }).ask(spec, { ...PLACE, isSaved });
    assert.ok("id" in answer);
    assert.equal(answer.id, "SecretMissing");
    assert.match(answer.remedy, remedy);
  }
});

function begin(
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>,
  annotations: Readonly<Record<string, string>> = {},
) {
  const read: string[] = [];
  const asked: BackupStart[] = [];
  const get = ({ name, namespace = "" }: { readonly name: string; readonly namespace?: string }) => {
    read.push(`${namespace}/${name}`);
    const texts = secrets[name];
    if (texts === undefined) return Promise.resolve(undefined);
    const data = Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
    );
    const secret: Stored<Secret> = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace, annotations, uid: "1", resourceVersion: "1" },
      data,
    };
    return Promise.resolve(secret);
  };
  const kube = { get: (_type: unknown, ref: Parameters<typeof get>[0]) => get(ref) } as unknown as Kube; // nothing else is asked
  const call = (_route: string, { body }: { readonly body: BackupStart }) => {
    asked.push(body);
    return Promise.resolve({ name: body.name });
  };
  const client = { call } as unknown as ManagementClient; // nothing else is asked
  return {
    read,
    asked,
    ask: (spec: unknown, place = PLACE) =>
      beginBackup({ kube, holderOf: () => undefined }, { client, uid: "1" }, backupSpec.parse(spec), place),
  };
}
