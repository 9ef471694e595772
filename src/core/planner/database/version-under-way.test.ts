import assert from "node:assert/strict";
import { test } from "node:test";
import { databaseView as view, existingDatabase as existing } from "../../../../test/kit/facts/database-view.ts";
import { planDatabase, type DatabaseView } from "./plan.ts";

const TO_8_0 = existing({ isSettled: false, upgradesTo: "8.0" });

interface Case {
  readonly name: string;
  readonly view: DatabaseView;
  readonly drift?: string;
  readonly warning?: string;
  readonly act?: object;
}

const cases: readonly Case[] = [
  {
    name: "a version that is taken back while the upgrade to it runs is refused at once",
    view: view({ storeVersion: "7.4" }, { isEdited: true, existing: TO_8_0 }),
    drift: "DowngradeRefused",
  },
  {
    name: "a version between the two while the upgrade runs is refused at once",
    view: view({ storeVersion: "7.4" }, { isEdited: true, existing: { ...TO_8_0, storeVersion: "7.2" } }),
    drift: "DowngradeRefused",
  },
  {
    name: "a version that is taken back stays refused while the upgrade runs",
    view: view({ storeVersion: "7.4" }, { wasRefused: true, existing: TO_8_0 }),
    drift: "DowngradeRefused",
  },
  {
    name: "an upgrade by hand is reported while it runs",
    view: view({ storeVersion: "7.4" }, { existing: TO_8_0 }),
    drift: "UpgradedByHand",
  },
  {
    name: "an upgrade that runs to the version of the spec is no drift",
    view: view({ storeVersion: "8.0" }, { existing: TO_8_0 }),
  },
  {
    name: "an upgrade that runs is no drift where no version is written",
    view: view({}, { existing: TO_8_0 }),
  },
  {
    name: "a still higher version waits for the upgrade that runs, and the spec says so",
    view: view({ storeVersion: "8.2" }, { existing: TO_8_0 }),
    warning: "OtherUpgradeFirst",
  },
  {
    name: "a still higher version follows once the upgrade has ended",
    view: view({ storeVersion: "8.2" }, { existing: existing({ storeVersion: "8.0" }) }),
    act: { kind: "upgrade", uid: 1, from: "8.0", storeVersion: "8.2" },
  },
];

for (const { name, view: given, drift, warning, act } of cases)
  test(name, () => {
    const decision = planDatabase(given);
    assert.deepEqual(decision.step.kind === "act" ? decision.step.act : undefined, act);
    assert.deepEqual(decision.findings, []);
    assert.deepEqual(
      [decision.drift?.id, decision.warnings.map(({ id }) => id)],
      [drift, warning === undefined ? [] : [warning]],
    );
  });

test("what a spec says of an upgrade that runs has where it ends, what comes then, and a command", () => {
  const back = planDatabase(view({ storeVersion: "7.4" }, { isEdited: true, existing: TO_8_0 })).drift;
  assert.match(
    back?.evidence ?? "",
    /^the upgrade from 7\.4 to 8\.0 has begun and goes on, and spec\.storeVersion says "7\.4"/,
  );
  assert.match(back?.remedy ?? "", /kubectl patch redb orders --type merge -p '\{"spec":\{"storeVersion":"8\.0"\}\}'/);
  const [further] = planDatabase(view({ storeVersion: "8.2" }, { existing: TO_8_0 })).warnings;
  assert.match(further?.evidence ?? "", /from 7\.4 to 8\.0 has begun and goes on; the upgrade to "8\.2" follows$/);
  assert.match(further?.remedy ?? "", /kubectl get redb orders -w$/);
});
