import assert from "node:assert/strict";
import { test } from "node:test";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import type { Condition } from "../../../core/api/parts.ts";
import { silentLog } from "#kit/base/log";
import { ActiveActiveDatabases, Clusters, RemoteClusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { AT_REST } from "#kit/reconcile/outcome";
import type { EventRecorder } from "#kit/kube/events";
import type { Informer } from "#kit/kube/informer";
import type { ResourceType, Stored } from "#kit/kube/kube";
import { reportFailedPass } from "./failed-condition.ts";
import { withFailuresReported } from "./pass-failure.ts";

type Reported = object & { readonly status?: { readonly conditions?: Condition[] | undefined } };

const REF = { name: "rec", namespace: "default" };
const SPECS: readonly [type: ResourceType<Reported>, spec: object][] = [
  [Clusters, {}],
  [RemoteClusters, { recName: "rec", recNamespace: "b", apiFqdnUrl: "api.b.example" }],
  [ActiveActiveDatabases, { participatingClusters: [{ name: "a" }] }],
];

await using world = await startOperatorWorld();
const { kube } = world;

for (const [type, spec] of SPECS) {
  await test(`${type.kind}: a pass that fails twice is written on the object once, and it is not Ready until one does not fail`, async () => {
    const made: Stored<Reported> = await kube.create(type, { metadata: REF, spec } as never); // every spec is one of its kind
    const said: string[] = [];
    const events = {
      recordAhead: async (_object: object, changes: readonly { reason: string }[], write: () => Promise<unknown>) => {
        said.push(...changes.map(({ reason }) => reason));
        return write();
      },
    } as unknown as EventRecorder; // all that a report of a failure uses
    let known: Stored<Reported> | undefined = made;
    const cache = { get: () => known } as unknown as Informer<Reported>; // the same
    let why: Error | undefined = new Error("the disk is full");
    const pass = async () => {
      if (why !== undefined) throw why;
      return AT_REST;
    };
    const report = reportFailedPass({ kube, clock: new FakeClock(), events }, type, cache);
    const reconcile = withFailuresReported(pass, report, silentLog);
    const conditions = async () => (known = await kube.get(type, REF))?.status?.conditions ?? [];
    await assert.rejects(reconcile("default/rec"), why);
    assert.deepEqual(await conditions(), []);
    for (let again = 0; again < 2; again++) {
      await assert.rejects(reconcile("default/rec"), why);
      const ready = (await conditions()).find((one) => one.type === "Ready");
      assert.deepEqual([ready?.status, ready?.reason, ready?.message], ["False", "PassFailed", "the disk is full"]);
    }
    assert.deepEqual(said, ["PassFailed"]);
    why = undefined;
    await reconcile("default/rec");
    why = new Error("another");
    await assert.rejects(reconcile("default/rec"), why);
    assert.deepEqual(said, ["PassFailed"]);
  });
}
