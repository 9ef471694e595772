import assert from "node:assert/strict";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "#kit/testing/until";
import { applyRules, sharedApplyRules } from "./apply-rules.ts";
import { editRules, patchRules } from "./edit-rules.ts";
import { contract, newest, type Rule } from "./contract.ts";
import { cache, configMap, pod, together, workload } from "./fixtures.ts";
import { APPLY as apply, fieldReader, WRITING as NS } from "./writing.ts";
import type { Kubectl } from "../kit/kubernetes/kubectl.ts";

await contract("kubectl writes", NS, newest(), [
  createRules,
  dryRunRules,
  applyRules,
  sharedApplyRules,
  editRules,
  patchRules,
  replaceRules,
  scaleRules,
  rolloutRules,
  deleteRules,
  nodeRules,
]);

function createRules(rule: Rule, kubectl: Kubectl): void {
  const field = fieldReader(kubectl);

  rule("create makes objects of the usual kinds", async () => {
    assert.equal(await kubectl(`create configmap made -n ${NS} --from-literal=a=b`), "configmap/made created\n");
    assert.equal(
      await kubectl(`create secret generic made -n ${NS} --from-literal=password=s3cret`),
      "secret/made created\n",
    );
    assert.equal(await field("secret/made", ".data.password},{.type"), "czNjcmV0,Opaque");
    assert.equal(await kubectl(`create serviceaccount made -n ${NS}`), "serviceaccount/made created\n");
    assert.equal(await kubectl(`create namespace ${NS}-made`), `namespace/${NS}-made created\n`);
    assert.equal(
      await kubectl(`create deployment made -n ${NS} --image=shop:1 --replicas=3`),
      "deployment.apps/made created\n",
    );
    assert.equal(await kubectl(`create service clusterip made -n ${NS} --tcp=80:8080`), "service/made created\n");
    assert.match(await field("service/made", ".spec.clusterIP"), /^\d+\.\d+\.\d+\.\d+$/);
    assert.equal(
      await kubectl(`create role made -n ${NS} --verb=get --resource=pods`),
      "role.rbac.authorization.k8s.io/made created\n",
    );
    assert.equal(
      await kubectl(`create rolebinding made -n ${NS} --role=made --serviceaccount=${NS}:made`),
      "rolebinding.rbac.authorization.k8s.io/made created\n",
    );
    assert.equal(
      await kubectl(`create poddisruptionbudget made -n ${NS} --selector=app=made --min-available=1`),
      "poddisruptionbudget.policy/made created\n",
    );
    assert.equal(await kubectl(`create job made -n ${NS} --image=shop:1`), "job.batch/made created\n");
    assert.equal(
      await kubectl(`create cronjob made -n ${NS} --image=shop:1 --schedule=@daily`),
      "cronjob.batch/made created\n",
    );
    assert.equal(await kubectl(`delete namespace ${NS}-made --wait=false`), `namespace "${NS}-made" deleted\n`);
  });

  rule("create completes names that are only begun", async () => {
    const document = configMap("begun", "a: b").replace("name: begun", "generateName: begun-");
    assert.match(await kubectl.given(document, `create -n ${NS} -f -`), /^configmap\/begun-\w{5} created\n$/);
  });
}

function dryRunRules(rule: Rule, kubectl: Kubectl): void {
  const field = fieldReader(kubectl);

  rule("dry runs change nothing", async () => {
    assert.match(await kubectl(`run dry -n ${NS} --image=shop:1 --dry-run=client -o yaml`), /kind: Pod\n/);
    assert.equal(
      await kubectl.given(cache("dry"), `create -n ${NS} -f - --dry-run=server`),
      "cache.demo.example.com/dry created (server dry run)\n",
    );
    assert.equal(
      await kubectl.given(cache("dry"), `${apply} --dry-run=server`),
      "cache.demo.example.com/dry created (server dry run)\n",
    );
    assert.equal(
      await kubectl.given(cache("dry"), `${apply} --server-side --dry-run=server`),
      "cache.demo.example.com/dry serverside-applied (server dry run)\n",
    );
    assert.match(await kubectl.refused(`get cache dry -n ${NS}`), /NotFound/);
  });

  rule("run makes a pod with what every pod has", async () => {
    assert.equal(await kubectl(`run lone -n ${NS} --image=shop:1`), "pod/lone created\n");
    assert.equal(
      await field("pod/lone", ".spec.restartPolicy},{.spec.containers[0].imagePullPolicy},{.status.phase"),
      "Always,IfNotPresent,Pending",
    );
  });
}

function replaceRules(rule: Rule, kubectl: Kubectl): void {
  const field = fieldReader(kubectl);

  rule("replace stores the file, and refuses an outdated one", async () => {
    await kubectl.given(configMap("replaced", "a: '1', b: '2'"), `create -n ${NS} -f -`);
    const old = await kubectl(`get cm replaced -n ${NS} -o json`);
    assert.equal(
      await kubectl.given(configMap("replaced", "a: '3'"), `replace -n ${NS} -f -`),
      "configmap/replaced replaced\n",
    );
    assert.equal(await field("cm/replaced", ".data"), '{"a":"3"}');
    assert.match(
      await kubectl.refusedGiven(old, `replace -n ${NS} -f -`),
      /the object has been modified; please apply your changes to the latest version/,
    );
    assert.match(
      await kubectl.given(configMap("replaced", "a: '4'"), `replace --force -n ${NS} -f -`),
      /configmap "replaced" deleted[^]*configmap\/replaced replaced\n/,
    );
  });

  rule("label and annotate add, refuse to overwrite, and remove", async () => {
    await kubectl.given(cache("marked"), apply);
    assert.equal(await kubectl(`label cache marked -n ${NS} tier=gold`), "cache.demo.example.com/marked labeled\n");
    assert.match(
      await kubectl.refused(`label cache marked -n ${NS} tier=tin`),
      /'tier' already has a value \(gold\), and --overwrite is false/,
    );
    assert.equal(await kubectl(`label cache marked -n ${NS} tier-`), "cache.demo.example.com/marked unlabeled\n");
    assert.match(
      await kubectl(`annotate cache marked -n ${NS} note=x`),
      /^cache.demo.example.com\/marked annotated?\n$/,
    );
    assert.equal(await field("cache/marked", ".metadata.labels.tier},{.metadata.annotations.note"), ",x");
  });
}

function scaleRules(rule: Rule, kubectl: Kubectl): void {
  const field = fieldReader(kubectl);

  rule("scale changes whatever has a scale", async () => {
    await kubectl.given(
      together(
        workload("Deployment", "scaled"),
        workload("StatefulSet", "scaled"),
        cache("scaled"),
        configMap("scaled", "a: b"),
      ),
      apply,
    );
    assert.equal(
      await kubectl(`scale deploy/scaled sts/scaled -n ${NS} --replicas=5`),
      "deployment.apps/scaled scaled\nstatefulset.apps/scaled scaled\n",
    );
    assert.equal(await kubectl(`scale cache scaled -n ${NS} --replicas=8`), "cache.demo.example.com/scaled scaled\n");
    assert.equal(await field("cache/scaled", ".spec.size"), "8");
    assert.match(
      await kubectl.refused(`scale deploy scaled -n ${NS} --current-replicas=2 --replicas=1`),
      /Expected replicas to be 2, was 5/,
    );
    assert.match(
      await kubectl.refused(`scale cm scaled -n ${NS} --replicas=1`),
      /the server could not find the requested resource/,
    );
  });
}

function rolloutRules(rule: Rule, kubectl: Kubectl): void {
  rule("set image, rollout restart, pause and history work on workloads", async () => {
    await kubectl.given(workload("Deployment", "rolled"), apply);
    assert.equal(
      await kubectl(`set image deploy/rolled -n ${NS} main=shop:7`),
      "deployment.apps/rolled image updated\n",
    );
    assert.equal(await kubectl(`set env deploy/rolled -n ${NS} B=2`), "deployment.apps/rolled env updated\n");
    assert.equal(await kubectl(`rollout restart deploy/rolled -n ${NS}`), "deployment.apps/rolled restarted\n");
    assert.equal(await kubectl(`rollout pause deploy/rolled -n ${NS}`), "deployment.apps/rolled paused\n");
    assert.match(await kubectl(`rollout history deploy/rolled -n ${NS}`), /deployment.apps\/rolled/);
  });

  rule("rollout status waits for the roll of a StatefulSet and of a Deployment", async () => {
    await kubectl.given(together(workload("StatefulSet", "rolling"), workload("Deployment", "rolling")), apply);
    const status = (what: string, body: object): Promise<string> =>
      kubectl(`patch ${what} -n ${NS} --subresource=status --type merge -p`, JSON.stringify({ status: body }));
    const roll = async (): Promise<void> => {
      const done = { observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2 };
      await status("sts/rolling", {
        ...done,
        readyReplicas: 1,
        availableReplicas: 1,
        currentRevision: "a",
        updateRevision: "b",
      });
      await status("sts/rolling", { ...done, currentReplicas: 2, currentRevision: "b", updateRevision: "b" });
      await status("deploy/rolling", done);
    };
    const [set, deployment] = await Promise.all([
      kubectl(`rollout status sts/rolling -n ${NS} --timeout=25s`),
      kubectl(`rollout status deploy/rolling -n ${NS} --timeout=25s`),
      roll(),
    ]);
    assert.match(
      set,
      /(partitioned roll out complete: 2 new pods have been updated|statefulset rolling update complete 2 pods at revision b)\.\.\.\n$/,
    );
    assert.match(deployment, /deployment "rolling" successfully rolled out\n$/);
  });
}

function deleteRules(rule: Rule, kubectl: Kubectl): void {
  const field = fieldReader(kubectl);

  rule("delete removes by name, label and file, and waits for finalizers", async () => {
    await kubectl.given(together(cache("gone-1"), cache("gone-2"), configMap("gone", "a: b")), apply);
    assert.equal(await kubectl(`delete cache gone-1 -n ${NS}`), `cache.demo.example.com "gone-1" deleted\n`);
    assert.match(await kubectl(`delete cache -n ${NS} -l app=gone-2`), /cache.demo.example.com "gone-2" deleted/);
    assert.match(await kubectl.given(configMap("gone", "a: b"), `delete -n ${NS} -f -`), /configmap "gone" deleted/);
    assert.match(await kubectl.refused(`delete cache gone-1 -n ${NS}`), /caches.demo.example.com "gone-1" not found/);
    assert.equal(await kubectl(`delete cache gone-1 -n ${NS} --ignore-not-found`), "");

    await kubectl.given(cache("held").replace("labels:", "finalizers: [demo.example.com/hold], labels:"), apply);
    const release = async (): Promise<void> => {
      await until("the deletion", async () => (await field("cache/held", ".metadata.deletionTimestamp")) !== "");
      await kubectl(`patch cache held -n ${NS} --type json -p`, '[{"op":"remove","path":"/metadata/finalizers"}]');
    };
    const [said] = await Promise.all([kubectl(`delete cache held -n ${NS} --wait --timeout=25s`), release()]);
    assert.match(said, /"held" deleted/);
    assert.match(await kubectl.refused(`get cache held -n ${NS}`), /not found/);
  });

  rule("delete --force removes a pod at once", async () => {
    await kubectl.given(pod("forced"), apply);
    assert.match(await kubectl(`delete pod forced -n ${NS} --grace-period=0 --force`), /pod "forced" force deleted/);
    assert.match(await kubectl.refused(`get pod forced -n ${NS}`), /pods "forced" not found/);
  });
}

function nodeRules(rule: Rule, kubectl: Kubectl): void {
  rule("nodes are cordoned, tainted and uncordoned", async () => {
    await kubectl.given("\napiVersion: v1\nkind: Node\nmetadata: { name: writing-node }\n", "apply -f -");
    assert.equal(await kubectl("cordon writing-node"), "node/writing-node cordoned\n");
    assert.match(await kubectl("get node writing-node"), /writing-node +(Unknown|NotReady),SchedulingDisabled/);
    assert.equal(await kubectl("taint node writing-node key=value:NoSchedule"), "node/writing-node tainted\n");
    assert.equal(await kubectl("uncordon writing-node"), "node/writing-node uncordoned\n");
    assert.equal(await kubectl("delete node writing-node"), `node "writing-node" deleted\n`);
  });

  rule("a service account gets a token", async () => {
    await kubectl(`create serviceaccount visitor -n ${NS}`);
    assert.match(await kubectl(`create token visitor -n ${NS}`), /^[\w-]+\.[\w-]+\.[\w-]+\n?$/);
  });

  rule("a folder with a kustomization is applied as one", async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "store-kustomize-"));
    writeFileSync(join(folder.path, "kustomization.yaml"), "namePrefix: kz-\nresources: [cache.yaml]\n");
    writeFileSync(join(folder.path, "cache.yaml"), cache("folder"));
    assert.equal(await kubectl(`apply -n ${NS} -k ${folder.path}`), "cache.demo.example.com/kz-folder created\n");
  });
}
