import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigMap } from "kubernetes-types/core/v1.js";
import { FakeClock } from "#kit/testing/fake-clock";
import { clusterNames } from "../../../core/api/names.ts";
import { silentLog } from "#kit/base/log";
import type { Stored } from "#kit/kube/kube";
import { RecordMirror } from "./mirror.ts";

const record = (resourceVersion: string, operator: string): Stored<ConfigMap> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: clusterNames.clusterRecord("rec"), namespace: "here", uid: "u", resourceVersion },
  data: { record: JSON.stringify({ createdTime: "t", nextDatabase: 1, maintenance: [], finished: [], operator }) },
});

const cases = [
  {
    rule: "a newer version replaces an older one",
    puts: [
      ["5", "a"],
      ["6", "b"],
    ],
    want: "b",
  },
  {
    rule: "an older version that comes late does not replace a newer one",
    puts: [
      ["6", "b"],
      ["5", "a"],
    ],
    want: "b",
  },
  {
    rule: "a storage that was set back counts",
    puts: [
      ["9", "b"],
      ["5", "a", "8"],
    ],
    want: "a",
  },
  {
    rule: "and what is written after that, too",
    puts: [
      ["9", "b"],
      ["5", "a", "8"],
      ["6", "c", "5"],
    ],
    want: "c",
  },
] as const;

for (const { rule, puts, want } of cases) {
  test(`records: ${rule}`, () => {
    const mirror = new RecordMirror("rec", { clock: new FakeClock(), log: silentLog });
    for (const [version, operator, before] of puts) {
      mirror.put(record(version, operator), before === undefined ? undefined : record(before, ""));
    }
    assert.equal(mirror.state?.operator, want);
  });
}
