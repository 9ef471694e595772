import assert from "node:assert/strict";
import type { Rule } from "./contract.ts";
import { cache, configMap, together, workload } from "./fixtures.ts";
import type { Kubectl } from "../kit/kubernetes/kubectl.ts";
import { APPLY as apply, fieldReader, WRITING as NS } from "./writing.ts";

const serverSide = `${apply} --server-side`;

/** Apply on the client side. */
export function applyRules(rule: Rule, kubectl: Kubectl): void {
  const field = fieldReader(kubectl);

  rule("apply creates, then changes nothing, then updates", async () => {
    const both = (size: number, image: string): string =>
      together(cache("kept", `size: ${size}`), workload("Deployment", "kept", image));
    assert.equal(
      await kubectl.given(both(3, "shop:1"), apply),
      "cache.demo.example.com/kept created\ndeployment.apps/kept created\n",
    );
    assert.equal(
      await kubectl.given(both(3, "shop:1"), apply),
      "cache.demo.example.com/kept unchanged\ndeployment.apps/kept unchanged\n",
    );
    assert.equal(
      await kubectl.given(both(5, "shop:2"), apply),
      "cache.demo.example.com/kept configured\ndeployment.apps/kept configured\n",
    );
    assert.equal(await field("cache/kept", ".spec.size"), "5");
    assert.equal(
      await field(
        "deploy/kept",
        ".spec.template.spec.containers[0].image},{.spec.template.spec.containers[0].env[0].name",
      ),
      "shop:2,A",
    );
  });

  rule("apply removes what the file no longer says, and nothing else", async () => {
    await kubectl.given(configMap("partly", "a: '1', b: '2'"), apply);
    await kubectl(`patch cm partly -n ${NS} --type merge -p`, '{"data":{"c":"3"}}');
    await kubectl.given(configMap("partly", "a: '1'"), apply);
    assert.equal(await field("cm/partly", ".data"), '{"a":"1","c":"3"}');
  });
}

/** Apply on the server side. */
export function sharedApplyRules(rule: Rule, kubectl: Kubectl): void {
  const field = fieldReader(kubectl);

  rule("apply --server-side shares an object between managers", async () => {
    assert.equal(
      await kubectl.given(cache("shared", "size: 3"), serverSide),
      "cache.demo.example.com/shared serverside-applied\n",
    );
    const version = await field("cache/shared", ".metadata.resourceVersion");
    assert.equal(
      await kubectl.given(cache("shared", "size: 3"), serverSide),
      "cache.demo.example.com/shared serverside-applied\n",
    );
    assert.equal(await field("cache/shared", ".metadata.resourceVersion"), version);
    const conflict = await kubectl.refusedGiven(cache("shared", "size: 4"), `${serverSide} --field-manager=other`);
    assert.match(
      conflict,
      /^error: Apply failed with 1 conflict: conflict with "kubectl": \.spec\.size\nPlease review the fields above/,
    );
    await kubectl.given(cache("shared", "size: 4"), `${serverSide} --field-manager=other --force-conflicts`);
    await kubectl.given(cache("shared"), serverSide);
    assert.equal(await field("cache/shared", ".spec.size"), "4");
  });

  rule("apply --server-side takes over from apply without a conflict", async () => {
    await kubectl.given(workload("StatefulSet", "moved", "shop:1"), apply);
    await kubectl.given(workload("StatefulSet", "moved", "shop:2"), serverSide);
    assert.equal(await field("sts/moved", ".spec.template.spec.containers[0].image"), "shop:2");
    // the annotation that the server wrote is spelled as the server spells it: once more is a change
    await kubectl.given(workload("StatefulSet", "moved", "shop:2"), apply);
    assert.equal(
      await kubectl.given(workload("StatefulSet", "moved", "shop:2"), apply),
      "statefulset.apps/moved unchanged\n",
    );
  });

  rule("a conflict with an edit names the tool and the version", async () => {
    await kubectl.given(workload("Deployment", "edited"), serverSide);
    await kubectl(`patch deploy edited -n ${NS} --type merge -p`, '{"spec":{"replicas":7}}');
    const conflict = await kubectl.refusedGiven(workload("Deployment", "edited"), serverSide);
    assert.match(conflict, /conflict with "kubectl-patch" using apps\/v1: \.spec\.replicas\n/);
  });
}
