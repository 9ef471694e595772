import assert from "node:assert/strict";
import type { Rule } from "./contract.ts";
import { cache, together, workload } from "./fixtures.ts";
import type { Kubectl } from "../kit/kubernetes/kubectl.ts";
import { APPLY as apply, fieldReader, WRITING as NS } from "./writing.ts";

/** Diff and edit. */
export function editRules(rule: Rule, kubectl: Kubectl): void {
  const field = fieldReader(kubectl);

  rule("diff shows a difference by its exit code", async () => {
    await kubectl.given(cache("differs", "size: 3"), apply);
    const same = await kubectl.run(`diff -n ${NS} -f -`, [], { stdin: cache("differs", "size: 3") });
    assert.deepEqual(same, { code: 0, stdout: "", stderr: "" });
    const other = await kubectl.run(`diff -n ${NS} -f -`, [], { stdin: cache("differs", "size: 6") });
    assert.equal(other.code, 1);
    assert.match(other.stdout, /\n- {2}size: 3\n\+ {2}size: 6\n/);
    assert.equal(
      (await kubectl.run(`diff --server-side -n ${NS} -f -`, [], { stdin: workload("Deployment", "differs") })).code,
      1,
    );
  });

  rule("edit opens an editor on the object and stores what it leaves", async () => {
    await kubectl.given(cache("written", "size: 3"), apply);
    const edit = (script: string): Promise<string> =>
      kubectl
        .run(`edit cache written -n ${NS}`, [], { env: { KUBE_EDITOR: `sed -i ${script}` } })
        .then(({ stdout, stderr }) => stdout + stderr);
    assert.match(await edit("s/size:.3/size:\\ 8/"), /cache.demo.example.com\/written edited/);
    assert.equal(await field("cache/written", ".spec.size"), "8");
    assert.match(await edit("s/nothing/nothing/"), /Edit cancelled, no changes made/);
  });
}

/** Every type of patch, and the status. */
export function patchRules(rule: Rule, kubectl: Kubectl): void {
  const field = fieldReader(kubectl);

  rule("patch takes all its types", async () => {
    await kubectl.given(together(workload("Deployment", "patched"), cache("patched")), apply);
    const patch = (what: string, type: string, body: string): Promise<string> =>
      kubectl(`patch ${what} -n ${NS} --type ${type} -p`, body);
    const container = '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"shop:9"}]}}}}';
    assert.equal(await patch("deploy/patched", "strategic", container), "deployment.apps/patched patched\n");
    assert.equal(
      await field("deploy/patched", ".spec.template.spec.containers[0]['image','env']").then(
        (text) => text.split(" ")[0],
      ),
      "shop:9",
    );
    assert.equal(
      await patch("deploy/patched", "strategic", container),
      "deployment.apps/patched patched (no change)\n",
    );
    assert.equal(
      await patch("cache/patched", "merge", '{"spec":{"size":2,"settings":{"a":"b"}}}'),
      "cache.demo.example.com/patched patched\n",
    );
    await patch(
      "cache/patched",
      "json",
      '[{"op":"test","path":"/spec/size","value":2},{"op":"replace","path":"/spec/size","value":6}]',
    );
    assert.equal(await field("cache/patched", ".spec.size"), "6");
    assert.match(
      await kubectl.refused(
        `patch cache patched -n ${NS} --type json -p`,
        '[{"op":"test","path":"/spec/size","value":2}]',
      ),
      /The request is invalid/,
    );
    assert.match(
      await kubectl.refused(`patch cache patched -n ${NS} --type strategic -p`, '{"spec":{"size":1}}'),
      /is not supported by demo.example.com\/v1, Kind=Cache: the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml/,
    );
  });

  rule("the status is written by its subresource alone", async () => {
    await kubectl.given(cache("sub"), apply);
    const body = '{"spec":{"size":9},"status":{"phase":"Running"}}';
    await kubectl(`patch cache sub -n ${NS} --type merge -p`, body);
    assert.equal(await field("cache/sub", ".spec.size},{.status.phase"), "9,");
    await kubectl(`patch cache sub -n ${NS} --subresource=status --type merge -p`, body.replace("9", "1"));
    assert.equal(await field("cache/sub", ".spec.size},{.status.phase},{.metadata.generation"), "9,Running,2");
    assert.equal(await kubectl(`get cache sub -n ${NS} --subresource=status -o jsonpath={.status.phase}`), "Running");
  });
}
