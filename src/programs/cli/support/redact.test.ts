import assert from "node:assert/strict";
import { test } from "node:test";
import { createLicenseAuthority } from "../../../ports/management/license.ts";
import { redaction, REDACTED } from "./redact.ts";

const { value, text } = redaction(["s3cret-word", 'a\nb"cdef']);

test("a known secret is taken out wherever it stands, in whatever spelling", () => {
  const spellings = [
    "s3cret-word",
    Buffer.from("s3cret-word").toString("base64"),
    'a\nb"cdef',
    JSON.stringify({ x: 'a\nb"cdef' }),
    encodeURIComponent('a\nb"cdef'),
  ];
  for (const spelling of spellings) {
    const left = text(`before ${spelling} after`);
    assert.match(left, /^before .*\[redacted\].* after$/s);
    assert.ok(!left.includes("s3cret") && !left.includes("cdef"), left);
  }
});

const looks: readonly string[] = [
  createLicenseAuthority().privateKey,
  JSON.stringify({ note: createLicenseAuthority().privateKey }),
  "Authorization: Basic dXNlcjpodW50ZXIy",
  "authorization: Bearer abc.def-hunter2",
  "token eyJhbGciOiJIUzI1NiJ9.hunter2aaaa.hunter2",
  "https://user:hunter2@host/path",
  "https://host/m.zip?X-Amz-Signature=hunter2&b=1",
  'password: "hunter2"',
  '{"msg":"login","password":"hunter2"}',
  "REDIS_PASSWORD=hunter2",
  "tool --password hunter2 --verbose",
  "CONFIG SET requirepass hunter2",
  "AUTH hunter2",
];
for (const look of looks) {
  test(`a text that looks like a secret is removed: ${look.split("\n", 1)[0]}`, () => {
    const left = text(look);
    assert.match(left, /\[redacted\]/);
    assert.doesNotMatch(left, /hunter2|dXNlcjpodW50ZXIy|MC4CAQ|MIG/);
  });
}

test("fields whose names promise a secret are emptied, and lists of arguments after such a flag", () => {
  const left = JSON.stringify(
    value({
      authentication_redis_pass: "hunter2",
      license: "hunter2",
      env: [
        { name: "DB_PASSWORD", value: "hunter2" },
        { name: "API-TOKEN", value: "hunter2" },
      ],
      args: ["--auth-token", "hunter2", "--port", "8080"],
      modulesList: [{ name: "m", config: "key hunter2" }],
      record: JSON.stringify({ deep: { privateKey: "hunter2" } }),
      managedFields: ["hunter2"],
      "tls.key": "hunter2-key s3cret-word",
      metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"a":"hunter2"}' } },
    }),
  );
  assert.doesNotMatch(left.replace("hunter2-key", ""), /hunter2|s3cret/);
  assert.ok(left.includes('"8080"'));
});

test("names, places and states stay, for they are what is looked for", () => {
  const kept = {
    licenseSecretName: "paid",
    databaseSecretName: "redb-orders",
    clusterCredentialSecretName: "rec",
    imagePullSecrets: [{ name: "login" }],
    secretRef: { name: "x" },
    licenseStatus: { licenseState: "Valid" },
    message: "the Secret of the cluster is not there; keys are missing, authority unknown, AUTH is needed",
    certificate: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    key: "plain",
    generation: 3,
    log: '{"msg":"a pass failed","pass":"17"}',
    yaml: "serviceAccountToken:\n  expirationSeconds: 3607\nsecret:\n  secretName: rec",
    missing: null,
  };
  assert.deepEqual(value(kept), kept);
  assert.equal(value({ password: "" }) instanceof Object, true);
  assert.equal(REDACTED, "[redacted]");
});
