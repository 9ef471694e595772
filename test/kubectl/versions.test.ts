import assert from "node:assert/strict";
import { embedded } from "../conformance/servers.ts";
import { contract, others, type Rule } from "./contract.ts";
import { cache, together, workload } from "./fixtures.ts";
import type { Kubectl } from "../kit/kubernetes/kubectl.ts";

const NS = "versions";

function everydayRules(rule: Rule, kubectl: Kubectl): void {
  rule("the everyday calls on a custom and on a built-in kind", async () => {
    const documents = together(cache("day", "size: 2"), workload("StatefulSet", "day"));
    assert.equal(
      await kubectl.given(documents, `apply -n ${NS} -f -`),
      "cache.demo.example.com/day created\nstatefulset.apps/day created\n",
    );
    assert.equal(
      await kubectl.given(documents, `apply -n ${NS} -f -`),
      "cache.demo.example.com/day unchanged\nstatefulset.apps/day unchanged\n",
    );
    assert.match(
      await kubectl(`get cache,sts -n ${NS}`),
      /NAME +MODE +SIZE[^]*cache.demo.example.com\/day +single +2[^]*NAME +READY +AGE\nstatefulset.apps\/day +0\/2/,
    );
    await kubectl(
      `patch sts day -n ${NS} -p`,
      '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"shop:2"}]}}}}',
    );
    const status = {
      observedGeneration: 2,
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 2,
      currentRevision: "b",
      updateRevision: "b",
    };
    await kubectl(`patch sts day -n ${NS} --subresource=status --type merge -p`, JSON.stringify({ status }));
    assert.match(
      await kubectl(`rollout status sts/day -n ${NS} --timeout=20s`),
      /(partitioned roll out|rolling update) complete/,
    );
    assert.match(await kubectl(`describe cache day -n ${NS}`), /Size: +2/);
    assert.match(await kubectl(`delete cache/day sts/day -n ${NS}`), /"day" deleted/);
  });

  rule("server-side apply, its conflict, explain and refusals", async () => {
    await kubectl.given(cache("shared", "size: 2"), `apply -n ${NS} -f - --server-side`);
    const conflict = await kubectl.refusedGiven(
      cache("shared", "size: 4"),
      `apply -n ${NS} -f - --server-side --field-manager=other`,
    );
    assert.match(conflict, /Apply failed with 1 conflict: conflict with "kubectl": \.spec\.size\n/);
    assert.match(await kubectl("explain cache.spec.mode"), /How its members work together/);
    assert.match(
      await kubectl.refusedGiven(cache("x", "nope: 1"), `apply -n ${NS} -f -`),
      /unknown field "(spec.)?nope"/,
    );
    assert.match(await kubectl.refused("get nosuch"), /the server doesn't have a resource type "nosuch"/);
  });
}

// an older kubectl against a real server would be a test of kubectl
await contract("older versions of kubectl work", NS, others(), [everydayRules], [embedded]);
