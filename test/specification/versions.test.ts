import assert from "node:assert/strict";
import { compareVersionText } from "../../src/core/base/version.ts";
import { CATALOGUE } from "../../src/core/releases/catalogue/catalogue.ts";
import { pathProblem } from "../../src/core/releases/catalogue/path.ts";
import { findingsAt } from "../../src/core/planner/prerequisites/run.ts";
import { checkInput } from "../../src/core/planner/prerequisites/check-input.ts";
import { clusterView, release } from "../kit/facts/cluster-view.ts";
import { rule } from "./rule.ts";

// Rules between releases of which the catalogue holds one side only; the worlds show that its decisions reach users.

const ANCIENT = { ...release("7.4.2-2"), operator: "7.2.4-12", nodeTag: "7.2.4-105" };
const NEW_BASE = CATALOGUE.filter(({ operator }) => (compareVersionText(operator, "7.8.2-6") ?? 0) >= 0);

rule(
  "§9 cluster 7.4.2-2 or later before 7.8.2-6 or later",
  "each release says so, and names the one to go through",
  () => {
    assert.ok(NEW_BASE.length > 10);
    for (const to of NEW_BASE) {
      const view = clusterView({ operator: to });
      const found = findingsAt("start", checkInput(view, { step: { from: ANCIENT, to } }));
      const finding = found.find(({ id }) => id === "VersionBelowMinimum");
      assert.match(
        finding?.evidence ?? "",
        /can be reached from 7\.4\.2-2 or later, and this cluster is at 7\.2\.4-12/,
      );
      assert.match(finding?.remedy ?? "", /upgrade operator and cluster to 7\.4\.6-2 first/);
      assert.equal(pathProblem(release("7.4.2-2"), to), undefined, to.operator);
    }
  },
);

rule(
  "§9 other targets: the release says its minimum, intermediate upgrades are named",
  "a step that is known to fail",
  () => {
    const from = { ...release("7.22.2-21"), operator: "7.22.2-43", nodeTag: "7.22.2-99" };
    const to = { ...release("8.0.20-21"), operator: "8.0.20-26", nodeTag: "8.0.20-30" };
    const found = findingsAt("start", checkInput(clusterView({ operator: to }), { step: { from, to } }));
    const finding = found.find(({ id }) => id === "StepForbidden");
    assert.match(finding?.evidence ?? "", /from 7\.22\.2-43 to 8\.0\.20-26 is known to fail/);
    assert.match(finding?.remedy ?? "", /upgrade operator and cluster to 8\.0\.20-21 first/);
  },
);
