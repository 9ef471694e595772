import assert from "node:assert/strict";
import { contract, newest, type Rule } from "./contract.ts";
import { cache, CACHE_DEFINITION, configMap, pod, workload } from "./fixtures.ts";
import type { Kubectl } from "../kit/kubernetes/kubectl.ts";

const NS = "refusing";

const apply = `apply -n ${NS} -f -`;

await contract("kubectl is refused with the reason", NS, newest(), [
  fieldRules,
  schemaRules,
  changeRules,
  objectRules,
  requestRules,
  documentRules,
]);

function fieldRules(rule: Rule, kubectl: Kubectl): void {
  rule("an unknown field is named, in custom and in built-in kinds", async () => {
    const custom = await kubectl.refusedGiven(cache("x", "nope: 1"), apply);
    assert.match(
      custom,
      /^Error from server \(BadRequest\): error when creating "STDIN": Cache in version "v1" cannot be handled as a Cache: strict decoding error: unknown field "spec.nope"\n$/,
    );
    const builtin = await kubectl.refusedGiven(workload("Deployment", "x").replace("replicas:", "replicaz:"), apply);
    assert.match(
      builtin,
      /Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replicaz"\n$/,
    );
    const item = await kubectl.refusedGiven(pod("x").replace("name: side,", "nmae: side,"), apply);
    assert.match(item, /strict decoding error: unknown field "spec.containers\[1\].nmae"\n$/);
  });

  rule("an unknown field is only warned of when that is asked for", async () => {
    const { code, stderr } = await kubectl.run(`${apply} --validate=warn`, [], { stdin: cache("warned", "nope: 1") });
    assert.deepEqual([code, stderr], [0, 'Warning: unknown field "spec.nope"\n']);
    const ignored = await kubectl.run(`${apply} --validate=ignore`, [], { stdin: cache("ignored", "nope: 1") });
    assert.deepEqual([ignored.code, ignored.stderr], [0, ""]);
  });

  rule("a value of the wrong type is named with both types", async () => {
    assert.match(
      await kubectl.refusedGiven(cache("x", "threads: three"), apply),
      /^The Cache "x" is invalid: spec.threads: Invalid value: "string": spec.threads in body must be of type integer: "string"\n$/,
    );
    const builtin = await kubectl.refusedGiven(
      workload("Deployment", "x").replace("replicas: 2", "replicas: two"),
      apply,
    );
    assert.match(builtin, /replicas/);
  });
}

function schemaRules(rule: Rule, kubectl: Kubectl): void {
  rule("a schema's rules are reported in the words of Kubernetes", async () => {
    const said = async (spec: string): Promise<string> => (await kubectl.refusedGiven(cache("x", spec), apply)).trim();
    const invalid = 'The Cache "x" is invalid: ';
    assert.equal(
      await said("size: 12"),
      `${invalid}spec.size: Invalid value: 12: spec.size in body should be less than or equal to 9`,
    );
    assert.equal(
      await said("mode: many"),
      `${invalid}spec.mode: Unsupported value: "many": supported values: "single", "cluster"`,
    );
    assert.equal(await said("endpoints: [{ port: 1 }]"), `${invalid}spec.endpoints[0].name: Required value`);
    assert.equal(
      await said("endpoints: [{ name: a }, { name: a }]"),
      `${invalid}spec.endpoints[1]: Duplicate value: map[string]interface {}{"name":"a"}`,
    );
    const version = await kubectl.refusedGiven(cache("x").replace('"7.2"', "latest"), apply);
    assert.equal(
      version.trim(),
      `${invalid}spec.version: Invalid value: "latest": spec.version in body should match '^[0-9]+[.][0-9]+$'`,
    );
    const several = (await kubectl.refusedGiven(cache("x", "size: 0, mode: many"), apply)).trim().split("\n");
    assert.deepEqual(several.toSorted(), [
      '* spec.mode: Unsupported value: "many": supported values: "single", "cluster"',
      "* spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
      'The Cache "x" is invalid: ',
    ]);
  });

  rule("a missing required field of a built-in kind is named", async () => {
    const missing = await kubectl.refusedGiven(workload("Deployment", "x").replace(/ {2}selector:.*\n/, ""), apply);
    assert.match(missing, /spec.selector: Required value/);
    const other = await kubectl.refusedGiven(
      workload("Deployment", "x").replace(/selector:.*\n/, "selector: { matchLabels: { app: z } }\n"),
      apply,
    );
    assert.match(
      other,
      /spec.template.metadata.labels: Invalid value: map\[string\]string\{"app":"x"\}: `selector` does not match template `labels`/,
    );
    assert.match(
      await kubectl.refusedGiven(service("x", 99999), apply),
      /spec.ports\[0\].port: Invalid value: 99999: must be between 1 and 65535, inclusive/,
    );
  });
}

function changeRules(rule: Rule, kubectl: Kubectl): void {
  rule("a change of an immutable field is refused with the reason", async () => {
    await kubectl.given(workload("StatefulSet", "fixed"), apply);
    assert.match(
      await kubectl.refusedGiven(
        workload("StatefulSet", "fixed").replace("serviceName: fixed", "serviceName: other"),
        apply,
      ),
      /spec: Forbidden: updates to statefulset spec for fields other than 'replicas', .* are forbidden/,
    );
    await kubectl.given(workload("Deployment", "fixed"), apply);
    const other = workload("Deployment", "fixed").replaceAll("app: fixed", "app: other");
    assert.match(await kubectl.refusedGiven(other, apply), /spec.selector: Invalid value: .*: field is immutable/);
  });

  rule("a wrong name or label is shown with the rule for it", async () => {
    assert.match(
      await kubectl.refusedGiven(configMap("Not_A_Name", "a: b"), apply),
      /metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters/,
    );
    assert.match(
      await kubectl.refusedGiven(configMap("x", "a: b", "app: -bad-"), apply),
      /metadata.labels: Invalid value: "-bad-": a valid label must be an empty string or consist of/,
    );
  });
}

function objectRules(rule: Rule, kubectl: Kubectl): void {
  rule("an absent object is reported as not found", async () => {
    assert.equal(
      await kubectl.refused(`get cache absent -n ${NS}`),
      'Error from server (NotFound): caches.demo.example.com "absent" not found\n',
    );
    assert.equal(await kubectl.refused("get nosuch"), 'error: the server doesn\'t have a resource type "nosuch"\n');
    assert.equal(
      await kubectl.refused("create cm x -n nowhere"),
      'error: failed to create configmap: namespaces "nowhere" not found\n',
    );
    assert.match(
      await kubectl.refusedGiven(cache("x").replace("kind: Cache", "kind: Crate"), apply),
      /no matches for kind "Crate" in version "demo.example.com\/v1"\nensure CRDs are installed first/,
    );
    assert.match(
      await kubectl.refused(`patch cache absent -n ${NS} --type merge -p {}`),
      /caches.demo.example.com "absent" not found/,
    );
  });

  rule("an object that exists cannot be created again", async () => {
    await kubectl(`create cm twice -n ${NS}`);
    assert.equal(
      await kubectl.refused(`create cm twice -n ${NS}`),
      'error: failed to create configmap: configmaps "twice" already exists\n',
    );
    await kubectl.given(cache("twice"), `create -n ${NS} -f -`);
    assert.match(
      await kubectl.refusedGiven(cache("twice"), `create -n ${NS} -f -`),
      /\(AlreadyExists\): error when creating "STDIN": caches.demo.example.com "twice" already exists/,
    );
  });
}

function requestRules(rule: Rule, kubectl: Kubectl): void {
  rule("a verb or path that is not served gets an error, not silence", async () => {
    assert.match(
      await kubectl.refused("delete --raw /api/v1/namespaces"),
      /the server does not allow this method on the requested resource/,
    );
    assert.match(await kubectl.refused(`get --raw /api/v1/namespaces/${NS}/pods/x/nosuch`), /NotFound|could not find/);
    assert.match(await kubectl.refused("get --raw /apis/nosuch.example.com/v1"), /NotFound|could not find/);
    await kubectl.given(pod("mute"), apply);
    assert.match(await kubectl.refused(`exec mute -n ${NS} -c main -- true`), /error|Error/);
    assert.match(await kubectl.refused(`top pod -n ${NS}`), /Metrics API not available/);
  });

  rule("a malformed patch is refused as such", async () => {
    await kubectl.given(configMap("plain", "a: b"), apply);
    const patch = (type: string, body: string): Promise<string> =>
      kubectl.refused(`patch cm plain -n ${NS} --type ${type} -p`, body);
    assert.match(await patch("json", '[{"op":"remove","path":"/data/none"}]'), /The request is invalid: /);
    assert.match(await patch("json", '{"op":"remove"}'), /BadRequest|cannot unmarshal|invalid/i);
    assert.match(
      await patch("merge", '{"metadata":{"name":"other"}}'),
      /the name of the object \(other\) does not match the name on the URL \(plain\)|metadata.name: Invalid value: "other": field is immutable/,
    );
    assert.match(await patch("merge", '{"metadata":{"labels":{"a":1}}}'), /cannot unmarshal|metadata.labels/);
  });
}

function documentRules(rule: Rule, kubectl: Kubectl): void {
  rule("a definition that is not structural is refused with the place", async () => {
    const other = CACHE_DEFINITION.replaceAll("demo.example.com", "bad.example.com");
    assert.match(
      await kubectl.refusedGiven(
        other.replace("phase: { type: string }", "phase: { description: what }"),
        "apply -f -",
      ),
      /spec.validation.openAPIV3Schema.properties\[status\].properties\[phase\].type: Required value: must not be empty for specified object fields|openAPIV3Schema.properties\[status\].properties\[phase\].type: Required value/,
    );
    assert.match(
      await kubectl.refusedGiven(other.replace("name: caches.bad", "name: boxes.bad"), "apply -f -"),
      /metadata.name: Invalid value: "boxes.bad.example.com": must be spec.names.plural\+"."\+spec.group/,
    );
    assert.match(
      await kubectl.refusedGiven(
        other.replace(
          "size: { type: integer, format: int32, minimum: 1, maximum: 9, default: 3",
          "size: { type: integer, default: many",
        ),
        "apply -f -",
      ),
      /\[size\].default: Invalid value: "string"/,
    );
  });

  rule("server-side apply refuses an incomplete or contradictory document", async () => {
    assert.match(
      await kubectl.refusedGiven(cache("x", "threads: three"), `${apply} --server-side`),
      /spec.threads: (expected numeric|Invalid value: "string")/,
    );
    assert.match(
      await kubectl.refusedGiven(cache("x", "nope: 1"), `${apply} --server-side`),
      /spec.nope: field not declared in schema|unknown field "spec.nope"/,
    );
  });
}

function service(name: string, port: number): string {
  return `\napiVersion: v1\nkind: Service\nmetadata: { name: ${name} }\nspec: { ports: [{ port: ${port} }] }\n`;
}
