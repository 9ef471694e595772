import assert from "node:assert/strict";
import { once } from "node:events";
import { LOG_LINES } from "../conformance/servers.ts";
import { contract, newest, type Rule } from "./contract.ts";
import { cache, configMap, pod, together, workload } from "./fixtures.ts";
import { minorOf, type Kubectl } from "../kit/kubernetes/kubectl.ts";
import { until } from "#kit/testing/until";

const NS = "reading";

/** Applies a document and gives the name that it was given. */
function applierOf(kubectl: Kubectl): (name: string, document: string) => Promise<string> {
  return (name, document) => kubectl.given(document, `apply -n ${NS} -f -`).then(() => name);
}

await contract("kubectl reads", NS, newest(), [
  getRules,
  listRules,
  describeRules,
  discoveryRules,
  accessRules,
  waitRules,
]);

function getRules(rule: Rule, kubectl: Kubectl): void {
  const named = applierOf(kubectl);

  rule("get shows the columns of the kind", async () => {
    await named("columns", pod("columns"));
    assert.match(
      await kubectl(`get pod columns -n ${NS}`),
      /^NAME +READY +STATUS +RESTARTS +AGE\ncolumns +0\/2 +Pending +0 +\d+s\n$/,
    );
    assert.match(
      await kubectl(`get pod columns -n ${NS} -o wide`),
      /AGE +IP +NODE +NOMINATED NODE +READINESS GATES\ncolumns .* <none> +<none> +<none> +<none>\n$/,
    );
  });

  rule("get shows the printer columns of a definition, those of priority 1 with -o wide", async () => {
    await named("printed", cache("printed", "mode: cluster"));
    assert.match(
      await kubectl(`get cch printed -n ${NS}`),
      /^NAME +MODE +SIZE +PHASE +AGE\nprinted +cluster +3 +\d+s\n$/,
    );
    assert.match(
      await kubectl(`get caches printed -n ${NS} -o wide`),
      /PHASE +VERSION +AGE\nprinted +cluster +3 +7.2 +\d+s\n$/,
    );
  });

  rule("get -o yaml, json, name, jsonpath and custom-columns agree", async () => {
    await named("forms", cache("forms", "size: 5"));
    const get = `get cache forms -n ${NS}`;
    assert.equal(await kubectl(`${get} -o name`), "cache.demo.example.com/forms\n");
    assert.equal(await kubectl(`${get} -o jsonpath={.spec.size},{.spec.mode}`), "5,single");
    assert.equal(await kubectl(`${get} -o custom-columns=N:.metadata.name,S:.spec.size`), "N       S\nforms   5\n");
    assert.match(
      await kubectl(`${get} -o yaml`),
      /^apiVersion: demo.example.com\/v1\nkind: Cache\nmetadata:\n[^]*\nspec:\n {2}mode: single\n {2}size: 5\n {2}version: "7.2"\n$/,
    );
    const { kind, metadata } = record(JSON.parse(await kubectl(`${get} -o json`)));
    assert.deepEqual([kind, record(metadata)["generation"]], ["Cache", 1]);
  });
}

function listRules(rule: Rule, kubectl: Kubectl): void {
  const named = applierOf(kubectl);

  rule("get all lists every kind of the category, custom ones too", async () => {
    await named("everything", together(workload("Deployment", "everything"), cache("everything")));
    const all = await kubectl(`get all -n ${NS} -l app=everything`);
    assert.match(all, /deployment.apps\/everything +0\/2 +0 +0 +\d+s/);
    assert.match(all, /cache.demo.example.com\/everything +single +3/);
  });

  rule("get selects by labels and fields, sorts and shows labels", async () => {
    await named("b", together(configMap("sel-b", "k: v", "set: sel"), configMap("sel-a", "k: v", "set: sel, x: z")));
    assert.equal(await kubectl(`get cm -n ${NS} -l set=sel,x!=z -o name`), "configmap/sel-b\n");
    assert.equal(await kubectl(`get cm -n ${NS} -o name --field-selector metadata.name=sel-a`), "configmap/sel-a\n");
    assert.equal(await kubectl(`get cm -n ${NS} -l`, "set in (sel),x", "-o", "name"), "configmap/sel-a\n");
    assert.equal(
      await kubectl(`get cm -n ${NS} -l set=sel --sort-by={.metadata.name} -o name`),
      "configmap/sel-a\nconfigmap/sel-b\n",
    );
    assert.match(await kubectl(`get cm sel-a -n ${NS} --show-labels`), /LABELS\nsel-a .* set=sel,x=z\n/);
  });

  rule("get in pieces gives the whole", async () => {
    const names = ["p1", "p2", "p3", "p4", "p5"].map((name) => `piece-${name}`);
    await named("pieces", together(...names.map((name) => configMap(name, "k: v", "set: pieces"))));
    assert.equal(
      await kubectl(`get cm -n ${NS} -l set=pieces --chunk-size=2 -o name`),
      names.map((name) => `configmap/${name}\n`).join(""),
    );
    assert.match(
      await kubectl("get cm -A -l set=pieces"),
      new RegExp(`^NAMESPACE +NAME +DATA +AGE\n${NS} +piece-p1 +1 `),
    );
  });

  rule("get -w follows changes", async () => {
    await named("watched", cache("watched"));
    const watch = kubectl.start(`get cache watched -n ${NS} -w --output-watch-events`);
    let seen = "";
    watch.stdout?.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    await until("the first row", () => /ADDED +watched/.test(seen), { withinMs: 20_000 });
    await kubectl(`patch cache watched -n ${NS} --type merge -p`, '{"spec":{"size":7}}');
    await kubectl(`delete cache watched -n ${NS}`);
    await until("the last row", () => /MODIFIED +watched +single +7[^]*DELETED +watched/.test(seen), {
      withinMs: 20_000,
    });
    watch.kill();
    await once(watch, "close");
  });
}

function describeRules(rule: Rule, kubectl: Kubectl): void {
  const named = applierOf(kubectl);

  rule("describe shows objects of every sort", async () => {
    await named(
      "shown",
      together(
        pod("shown"),
        workload("StatefulSet", "shown"),
        workload("Deployment", "shown"),
        cache("shown"),
        configMap("shown", "key: value"),
      ),
    );
    assert.match(
      await kubectl(`describe pod shown -n ${NS}`),
      /Name: +shown\nNamespace: +reading\n[^]*Containers:\n {2}main:\n[^]*Image: +shop:1/,
    );
    assert.match(await kubectl(`describe sts shown -n ${NS}`), /Replicas: +2 desired \| 0 total/);
    assert.match(await kubectl(`describe deploy shown -n ${NS}`), /StrategyType: +RollingUpdate/);
    assert.match(
      await kubectl(`describe cache shown -n ${NS}`),
      /Kind: +Cache\n[^]*Spec:\n {2}Mode: +single\n {2}Size: +3/,
    );
    assert.match(await kubectl(`describe cm shown -n ${NS}`), /Data\n====\nkey:\n----\nvalue\n/);
    assert.match(await kubectl(`describe ns ${NS}`), /Status: +Active/);
    assert.match(await kubectl("describe crd caches.demo.example.com"), /Stored Versions:\n +v1/);
  });

  rule("events are shown by get, by events and by describe", async () => {
    await named("busy", cache("busy"));
    const uid = await kubectl(`get cache busy -n ${NS} -o jsonpath={.metadata.uid}`);
    await kubectl.given(event("busy", uid), `create -n ${NS} -f -`);
    assert.match(
      await kubectl(`get events -n ${NS} --field-selector involvedObject.name=busy`),
      /LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n\S+ +Normal +Grown +cache\/busy +Has grown to 3 members/,
    );
    assert.match(await kubectl(`events -n ${NS} --for cache/busy`), /Normal +Grown +Cache\/busy +Has grown/);
    assert.match(
      await kubectl(`describe cache busy -n ${NS}`),
      /Events:\n[^]*Normal +Grown +\S+.* store-operator +Has grown to 3 members/,
    );
  });
}

function discoveryRules(rule: Rule, kubectl: Kubectl): void {
  rule("explain knows built-in kinds and definitions", async () => {
    assert.match(
      await kubectl("explain pods.spec.containers.ports"),
      /KIND: +Pod\nVERSION: +v1\n\nFIELD: ports <\[\]ContainerPort>\n[^]*containerPort\t<integer> -required-/,
    );
    assert.match(
      await kubectl("explain statefulset.spec.updateStrategy --recursive"),
      /GROUP: +apps\nKIND: +StatefulSet\n[^]*rollingUpdate\t<\w+>\n +maxUnavailable\t<IntOrString>\n +partition\t<integer>/,
    );
    assert.match(
      await kubectl("explain cache"),
      /GROUP: +demo.example.com\nKIND: +Cache\nVERSION: +v1\n\nDESCRIPTION:\n +Cache keeps values in memory\.[^]*metadata\t<ObjectMeta>/,
    );
    assert.match(
      await kubectl("explain cch.spec.mode"),
      /FIELD: mode <string>\n(ENUM:\n +single\n +cluster\n)?\nDESCRIPTION:\n +How its members work together\./,
    );
    assert.match(await kubectl.refused("explain cache.spec.nope"), /field "nope" does not exist/);
  });

  rule("api-resources and api-versions list what is served", async () => {
    const resources = await kubectl("api-resources -o wide");
    assert.match(
      resources,
      /^pods +po +v1 +true +Pod +create,delete,deletecollection,get,list,patch,update,watch +all$/m,
    );
    assert.match(resources, /^statefulsets +sts +apps\/v1 +true +StatefulSet/m);
    assert.match(
      resources,
      /^caches +cch +demo.example.com\/v1 +true +Cache +delete,deletecollection,get,list,patch,create,update,watch +all$/m,
    );
    assert.equal(await kubectl("api-resources --api-group demo.example.com -o name"), "caches.demo.example.com\n");
    const versions = (await kubectl("api-versions")).split("\n");
    for (const version of ["v1", "apps/v1", "apiextensions.k8s.io/v1", "demo.example.com/v1"])
      assert.ok(versions.includes(version), version);
  });
}

function accessRules(rule: Rule, kubectl: Kubectl): void {
  rule("version, cluster-info and raw paths answer", async () => {
    assert.match(await kubectl("version"), /Server Version: .*v1\.\d+\.\d+/);
    assert.match(await kubectl("cluster-info"), /Kubernetes control plane.* is running at.*https:\/\/127/);
    assert.equal(await kubectl("get --raw /readyz"), "ok");
    assert.match(await kubectl("get --raw /apis/demo.example.com/v1"), /"kind":"APIResourceList"/);
  });

  rule("auth says who may do what", async () => {
    assert.equal(await kubectl(`auth can-i create caches.demo.example.com -n ${NS}`), "yes\n");
    if (minorOf(kubectl.version) > 27) assert.match(await kubectl("auth whoami"), /Username +\S+/);
    const { stdout, code } = await kubectl.run(`auth can-i delete nodes --as system:serviceaccount:${NS}:absent`);
    assert.deepEqual([stdout, code], ["no\n", 1]);
    assert.match(await kubectl(`auth can-i --list -n ${NS}`), /Resources +Non-Resource URLs +Resource Names +Verbs\n/);
  });
}

function waitRules(rule: Rule, kubectl: Kubectl): void {
  const named = applierOf(kubectl);

  rule("wait ends when a condition, a field or a deletion comes", async () => {
    await named("awaited", cache("awaited"));
    const patch = `patch cache awaited -n ${NS} --subresource=status --type merge -p`;
    const met = "cache.demo.example.com/awaited condition met\n";
    const [ready, phase] = await Promise.all([
      kubectl(`wait cache/awaited -n ${NS} --for=condition=Ready --timeout=20s`),
      kubectl(`wait cache/awaited -n ${NS} --for=jsonpath={.status.phase}=Running --timeout=20s`),
      kubectl(patch, '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'),
    ]);
    const [gone] = await Promise.all([
      kubectl(`wait cache/awaited -n ${NS} --for=delete --timeout=20s`),
      kubectl(`delete cache awaited -n ${NS}`),
    ]);
    assert.deepEqual([ready, phase], [met, met]);
    assert.match(gone, /^(cache.demo.example.com\/awaited condition met\n)?$/); // empty when it was gone before
    assert.match(
      await kubectl.refused(`wait cache -n ${NS} -l app=awaited --for=condition=Ready --timeout=1s`),
      /no matching resources found/,
    );
  });

  rule(
    "logs prints what the containers said",
    async () => {
      await named("talking", pod("talking"));
      await kubectl(`patch pod talking -n ${NS} --subresource=status -p`, '{"status":{"phase":"Running"}}');
      const all = LOG_LINES.map((line) => `main: ${line}\n`).join("");
      assert.equal(await kubectl(`logs talking -n ${NS} -c main`), all);
      assert.equal(await kubectl(`logs talking -n ${NS} -c side --tail 1`), "side: third line\n");
      assert.equal(await kubectl(`logs -f talking -n ${NS} -c main`), all);
      assert.equal(
        await kubectl(`logs -n ${NS} -l app=talking -c main --prefix --tail=1`),
        "[pod/talking/main] main: third line\n",
      );
      assert.match(
        await kubectl.refused(`logs talking -n ${NS} -c nope`),
        /container nope is not valid for pod talking/,
      );
    },
    { embeddedOnly: "a real API server asks a kubelet for logs, and there is none" },
  );
}

function event(name: string, uid: string): string {
  return `
apiVersion: v1
kind: Event
metadata: { generateName: ${name}- }
involvedObject: { apiVersion: demo.example.com/v1, kind: Cache, name: ${name}, namespace: ${NS}, uid: ${uid} }
reason: Grown
message: Has grown to 3 members
type: Normal
count: 1
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
source: { component: store-operator }
`;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  assert.ok(typeof value === "object" && value !== null);
  return Object.fromEntries(Object.entries(value));
}
