import assert from "node:assert/strict";
import { test } from "node:test";
import { references } from "../../../../test/kit/facts/references.ts";
import { remoteClusterSpec } from "../../api/active-active.ts";
import { REMOTE_CLUSTER_ADVICE, REMOTE_CLUSTER_RULES, type ReviewedRemoteCluster } from "./remote-cluster.ts";
import { review } from "./review.ts";
import { causeText } from "./objection.ts";

interface Case {
  readonly rule: string;
  readonly spec?: object;
  readonly before?: object;
  readonly name?: string;
  readonly field?: string;
  readonly says?: RegExp;
}

const cases: readonly Case[] = [
  {
    rule: "a host name is accepted",
    spec: { dbFqdnSuffix: "-db.rec.example.com", secretName: "store-enterprise-east" },
  },
  {
    rule: "a URL is refused with the host name in it",
    spec: { apiFqdnUrl: "https://api.rec.example.com:9443/v1" },
    field: "spec.apiFqdnUrl",
    says: /host name without scheme.*write "api\.rec\.example\.com"/,
  },
  { rule: "a blank is in no host name", spec: { apiFqdnUrl: "api rec" }, field: "spec.apiFqdnUrl", says: /host name/ },
  { rule: "a suffix makes a host name", spec: { dbFqdnSuffix: "/db" }, field: "spec.dbFqdnSuffix", says: /host name/ },
  {
    rule: "a namespace has a name",
    spec: { recNamespace: "My NS" },
    field: "spec.recNamespace",
    says: /small letters/,
  },
  {
    rule: "the secret is named after it",
    spec: { secretName: "password" },
    field: "spec.secretName",
    says: /write "store-enterprise-east"/,
  },
  {
    rule: "a cluster is listed once",
    spec: { recName: "rec-west", recNamespace: "west" },
    field: "spec.recName",
    says: /Duplicate value: "west\/rec-west": "west" stands for that cluster/,
  },
  {
    rule: "a remote cluster stands for one cluster and never for another",
    spec: { recName: "another" },
    before: {},
    field: "spec.recName",
    says: /cannot become "another"/,
  },
  { rule: "its name fits into that of a secret", name: "x".repeat(47), field: "metadata.name", says: /may have 46/ },
];

for (const { rule, spec = {}, before, name = "east", field, says } of cases) {
  test(`rerc: ${rule}`, () => {
    const { denials } = review(REMOTE_CLUSTER_RULES, REMOTE_CLUSTER_ADVICE, facts(name, spec, before), undefined);
    assert.deepEqual(
      denials.map((denial) => denial.field),
      field === undefined ? [] : [field],
    );
    if (says !== undefined) assert.match(denials.map(causeText).join(), says);
  });
}

function facts(name: string, spec: object, before?: object): ReviewedRemoteCluster {
  const base = { recName: "rec", recNamespace: "default", apiFqdnUrl: "api.rec.example.com" };
  const remoteClusters = [{ name: "west", recName: "rec-west", recNamespace: "west" }];
  return {
    name,
    spec: remoteClusterSpec.parse({ ...base, ...spec }),
    before: before && remoteClusterSpec.parse({ ...base, ...before }),
    references: references({ remoteClusters }),
  };
}
