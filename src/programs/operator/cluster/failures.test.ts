import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { faults } from "#kit/kube/faults";
import { latestRelease } from "../../../core/releases/catalogue/find.ts";
import { errorsIn, failureFindings, isRace } from "./failures.ts";

const DENIED = 'admission webhook "policy.example.org" denied the request: no such label';
const BY_POLICY = "ValidatingAdmissionPolicy 'labels' with binding 'all' denied request: no such label";

const deps = {
  permissions: {
    operator: async () => ({ read: true, value: [] }) as const,
    cluster: async () => ({ read: true, value: [] }) as const,
    invalidate: () => undefined,
  },
  release: latestRelease(),
};

const cases: readonly {
  readonly name: string;
  readonly failures: readonly Error[];
  readonly found: Readonly<Record<string, string>>;
}[] = [
  { name: "none", failures: [], found: {} },
  {
    name: "a quota refuses with 403",
    failures: [new Fault(faults.forbidden, "exceeded quota")],
    found: { RequestForbidden: "exceeded quota" },
  },
  {
    name: "a webhook refuses with the code of a bad request",
    failures: [new Fault(faults.invalid, DENIED)],
    found: { RequestForbidden: DENIED },
  },
  {
    name: "an admission policy refuses with the code of an invalid object",
    failures: [new Fault(faults.invalid, BY_POLICY)],
    found: { RequestForbidden: BY_POLICY },
  },
  { name: "anything else", failures: [new Error("no answer")], found: { StepFailed: "no answer" } },
  {
    name: "several at once: each is said",
    failures: [
      new Error("no answer"),
      new Fault(faults.forbidden, "no pods"),
      new Fault(faults.forbidden, "no secrets"),
    ],
    found: { StepFailed: "no answer", RequestForbidden: "no pods; no secrets" },
  },
  {
    name: "the same twice is said once",
    failures: [new Error("no answer"), new Error("no answer")],
    found: { StepFailed: "no answer" },
  },
];

for (const { name, failures, found } of cases)
  test(`what fails is a finding that says how it ends: ${name}`, async () => {
    const findings = await failureFindings(deps, "default", failures);
    assert.deepEqual(Object.fromEntries(findings.map(({ id, evidence }) => [id, evidence])), found);
    for (const { remedy } of findings) assert.match(remedy, /kubectl (auth|logs) /);
  });

test("several errors in one count one by one, and a race with another writer is no failure", () => {
  const [one, two] = [new Error("one"), new Error("two")];
  assert.deepEqual(errorsIn(new AggregateError([one, new AggregateError([two])])), [one, two]);
  assert.equal(errorsIn("text")[0]?.message, "text");
  assert.deepEqual([isRace(new Fault(faults.conflict, "")), isRace(one)], [true, false]);
});
