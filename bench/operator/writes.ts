import type { DatabaseStatus } from "../../src/core/api/database-status.ts";
import { FINALIZERS } from "../../src/core/api/kinds.ts";
import { ConfigMaps, Events, Namespaces, Secrets } from "#kit/kube/builtin";
import type { Kube, Ref } from "#kit/kube/kube";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";

const NAMESPACE = "alone";
/** As many as the operator has under way. */
const AT_ONCE = 8;

/** Seconds that the API server takes to store, for so many databases, what operator and agents have to write to make them. */
export async function timeWrites(kube: Kube, databases: number): Promise<number> {
  await kube.create(Namespaces, { metadata: { name: NAMESPACE } });
  const refs = Array.from({ length: databases }, (_, index) => ({ name: `db-${index}`, namespace: NAMESPACE }));
  await inParallel(refs, (ref) => kube.create(Databases, { metadata: ref, spec: {} }));
  const began = performance.now();
  await inParallel(refs, (ref) => makeDatabase(kube, ref));
  return (performance.now() - began) / 1000;
}

async function makeDatabase(kube: Kube, ref: Required<Ref>): Promise<void> {
  const held = { metadata: { finalizers: [FINALIZERS.database] } };
  await kube.patch(Databases, ref, { type: "merge", body: held });
  await kube.create(Secrets, { metadata: ref, data: { password: encoded("x".repeat(32)) } });
  const record = await kube.create(ConfigMaps, { metadata: ref, data: { record: "r".repeat(700) } });
  await kube.patch(Secrets, ref, { type: "merge", body: { data: { port: encoded("10000") } } });
  await tell(kube, ref, "made");
  await report(kube, ref, "pending");
  await kube.update(ConfigMaps, { ...record, data: { record: "s".repeat(700) } });
  await report(kube, ref, "active");
  await tell(kube, ref, "ready");
}

async function report(kube: Kube, ref: Ref, status: DatabaseStatus["status"]): Promise<void> {
  const at = "2026-01-01T00:00:00Z";
  const conditions = ["Ready", "ReconcileSuspended", "Drifted"].map((type) => ({
    type,
    status: "True",
    reason: "Said",
    message: `the database is ${status}`,
    lastTransitionTime: at,
  }));
  await kube.patch(
    Databases,
    ref,
    { type: "merge", body: { status: { status, conditions } } },
    { subresource: "status" },
  );
}

async function tell(kube: Kube, ref: Required<Ref>, what: string): Promise<void> {
  await kube.create(Events, {
    metadata: { ...ref, name: `${ref.name}.${what}` },
    involvedObject: { kind: "StoreEnterpriseDatabase", ...ref },
    type: "Normal",
    reason: "Reported",
    message: what,
  });
}

async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}
