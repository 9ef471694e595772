import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView } from "../../../../test/kit/facts/cluster-view.ts";
import { clusterSpec } from "../../../core/api/cluster-spec.ts";
import { APP_LABEL, LABELS } from "../../../core/api/names.ts";
import { labelsOf, type Owner } from "./meta.ts";

test("labels of a spec are on what a cluster owns, but for those by which the product finds it", () => {
  const extraLabels = { team: "data", [LABELS.database]: "other", [LABELS.leader]: "true", [LABELS.cluster]: "other" };
  const owner: Pick<Owner, "view"> = { view: clusterView({ spec: clusterSpec.parse({ extraLabels }) }) };
  const labels = { team: "data", [LABELS.app]: APP_LABEL, [LABELS.cluster]: owner.view.name };
  assert.deepEqual(labelsOf(owner), labels);
  assert.deepEqual(labelsOf(owner, "node"), { ...labels, [LABELS.role]: "node" });
});
