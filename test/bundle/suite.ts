import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Kubectl } from "../kubectl/kubectl.ts";

const BUNDLE = join(import.meta.dirname, "../../deploy/bundle.yaml");

/** What users do with the bundle of a release on a Kubernetes that runs no pods. */
export function bundleSuite(kubectl: () => Kubectl): void {
  const k = (line: string): Promise<string> => kubectl()(`${line} -f ${BUNDLE}`);
  const remove = (): Promise<string> => k("delete --ignore-not-found --timeout=30s");

  test("the lines of §4.1: each object once, with its kind", async () => {
    const lines = linesOf(await k("apply"));
    const named = lines.filter((line) => line.includes("/store-enterprise-operator ") || line.includes("definition"));
    assert.deepEqual(
      named.filter((line) => !/activeactive|remoteclusters/.test(line)),
      [
        "role.rbac.authorization.k8s.io/store-enterprise-operator created",
        "rolebinding.rbac.authorization.k8s.io/store-enterprise-operator created",
        "serviceaccount/store-enterprise-operator created",
        "customresourcedefinition.apiextensions.k8s.io/storeenterpriseclusters.app.storeenterprise.io created",
        "customresourcedefinition.apiextensions.k8s.io/storeenterprisedatabases.app.storeenterprise.io created",
        "deployment.apps/store-enterprise-operator created",
      ],
    );
    assert.equal(new Set(lines).size, lines.length);
    await remove();
  });

  test("applied again it changes nothing, and there is no difference", async () => {
    const objects = linesOf(await k("apply")).length;
    assert.deepEqual(
      words(await k("apply")),
      Array.from({ length: objects }, () => "unchanged"),
    );
    assert.equal(await k("diff"), "");
    await remove();
  });

  for (const [first, second] of [
    ["apply", "apply --server-side"],
    ["apply --server-side", "apply"],
    ["apply --server-side", "apply --server-side"],
  ] as const) {
    test(`${second} goes after ${first}, without conflict and without a difference`, async () => {
      await k(first);
      await k(second);
      for (const how of ["diff", "diff --server-side"]) assert.equal(await k(how), "", how);
      await k(first);
      assert.equal(await k("diff"), "");
      await remove();
    });
  }

  test("deleted it leaves nothing behind, and nobody waits", async () => {
    const applied = linesOf(await k("apply"));
    const deleted = linesOf(await remove());
    assert.equal(deleted.length, applied.length);
    const left = await kubectl().run(`get -f ${BUNDLE} --ignore-not-found -o name`);
    assert.deepEqual([left.stdout, left.code], ["", 0]);
  });
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** The last word of each line. */
function words(text: string): string[] {
  return linesOf(text).map((line) => line.split(" ").at(-1) ?? "");
}
