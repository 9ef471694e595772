import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInput, type CheckInput } from "../../../src/core/planner/prerequisites/check-input.ts";
import { MOMENTS } from "../../../src/core/planner/prerequisites/check.ts";
import type { ClusterEnvironment } from "../../../src/core/planner/prerequisites/environment.ts";
import { verdictsAt } from "../../../src/core/planner/prerequisites/run.ts";
import type { ClusterView } from "../../../src/core/planner/view/cluster-view.ts";
import { clusterView } from "./cluster-view.ts";

/** A cluster with its environment, and what the checks find. */
export interface CheckCase {
  readonly name: string;
  readonly view?: Partial<ClusterView>;
  readonly environment?: ClusterEnvironment;
  readonly step?: CheckInput["step"];
  /** Severity and name of what is found; none when everything passes. */
  readonly found?: string;
  readonly evidence?: RegExp;
}

/** A test for each case, with the checks of every moment. */
export function testChecks(cases: readonly CheckCase[]): void {
  for (const { name, view, environment = {}, step, found, evidence } of cases) {
    test(`prerequisites: ${name}`, () => {
      const input = checkInput(clusterView({ ...view, generation: view?.generation ?? 0 }), {
        environment,
        ...(step && { step }),
      });
      const verdicts = verdictsAt(MOMENTS, input).flatMap((verdict) =>
        verdict.outcome === "found" ? [verdict.finding] : [],
      );
      const named = verdicts.map(({ id, severity }) => `${severity} ${id}`);
      if (found === undefined) assert.deepEqual(named, []);
      else assert.ok(named.includes(found), `${named.join(", ")} has no ${found}`);
      if (evidence !== undefined) assert.match(verdicts.map((finding) => finding.evidence).join("; "), evidence);
      for (const finding of verdicts) assert.ok(finding.remedy.length > 10 && finding.evidence.length > 3, finding.id);
    });
  }
}

/** A fact that could be read. */
export function read<T>(value: T): { readonly read: true; readonly value: T } {
  return { read: true, value };
}
