import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInput, type CheckInput } from "../../../src/core/planner/prerequisites/check-input.ts";
import type { ClusterEnvironment } from "../../../src/core/planner/prerequisites/environment.ts";
import { commandOf } from "../../../src/core/planner/recovery/describe.ts";
import { planRecovery } from "../../../src/core/planner/recovery/plan.ts";
import type { DatabaseObject, RecordedDatabase, Supplied } from "../../../src/core/planner/recovery/recovery.ts";
import type { ClusterView } from "../../../src/core/planner/view/cluster-view.ts";
import { clusterView } from "./cluster-view.ts";

const NOTHING: Supplied = { license: "", modules: [], moduleUrls: {}, moduleSecret: "", keepDigests: false };

/** A cluster with its environment, what the user supplies, and the recoveries that are proposed. */
export interface RecoveryCase {
  readonly name: string;
  readonly view?: Partial<ClusterView>;
  readonly environment?: ClusterEnvironment;
  readonly step?: CheckInput["step"];
  readonly databases?: readonly DatabaseObject[];
  readonly recorded?: readonly RecordedDatabase[];
  readonly given?: Partial<Supplied>;
  /** Each recovery: its rule, then what is done. */
  readonly does: readonly (readonly string[])[];
  readonly needs?: RegExp;
  readonly otherwise?: RegExp;
  readonly irreversible?: RegExp;
}

/** A test for each case. */
export function testRecoveries(cases: readonly RecoveryCase[]): void {
  for (const {
    name,
    view = {},
    environment = {},
    step,
    databases = [],
    recorded = [],
    given = {},
    ...expected
  } of cases) {
    test(name, () => {
      const input = checkInput(clusterView(view), { environment, ...(step && { step }) });
      const recoveries = planRecovery({ input, databases, recorded, lacksFacts: false }, { ...NOTHING, ...given });
      const reported = recoveries.map(({ rule, acts }) => [rule, ...acts.map((act) => commandOf(act, "rec"))]);
      assert.deepEqual(reported, expected.does);
      const [first] = recoveries;
      assert.match(first?.needs ?? "", expected.needs ?? /^$/);
      assert.match(first?.irreversible ?? "", expected.irreversible ?? /^$/);
      if (expected.otherwise !== undefined) assert.match(first?.otherwise ?? "", expected.otherwise);
    });
  }
}
