import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { RoleBindings, Roles, SecurityContextConstraints, ServiceAccounts } from "#kit/kube/builtin";
import { OLD_CONSTRAINT } from "../../src/core/api/names.ts";
import { constraintFor } from "../kit/kubernetes/old-constraint.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { PATIENCE, startStorectlWorld, type Ran } from "../kit/world/storectl-world.ts";
import { until } from "#kit/testing/until";
import { foundKubectls } from "../api-servers/kubectls.ts";
import { proves } from "../kit/specification/proves.ts";

const REC = { name: "rec", namespace: "default" };
const OLD = release("8.0.6-8");
const [kubectl] = foundKubectls();

await using world = await startStorectlWorld(OLD);

await test("status shows operator, cluster, nodes and databases, and ends with 0 when all is well", async () => {
  await until("all is well", async () => (await storectl("status")).code === 0, PATIENCE);
  const { stdout } = await storectl("status");
  assert.match(stdout, /STATE +Running, spec Valid/);
  assert.match(stdout, /OPERATOR +8\.0\.6-8, 1\/1 ready/);
  assert.match(stdout, /3 +rec-2 +active +8\.0\.6-54/);
  assert.match(stdout, /DATABASE +VERSION +ENGINE +STATUS/);
  assert.match(stdout, /orders +7\.2 +redis \d+\.\d+\.\d+(?: \(stand-in\))? +active +1/);
});

await test("why says that nothing is wrong", async () => {
  const { code, stdout } = await storectl("why");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^Nothing is wrong: cluster rec is Running at 8\.0\.6-54/);
});

await test("preflight passes, every check looked at", async () => {
  const { code, stdout } = await storectl("preflight", "--to", latestRelease().operator, "-o", "json");
  const report = JSON.parse(stdout);
  const passed = report.checks.flatMap(({ id, outcome }: Record<string, string>) => (outcome === "passed" ? id : []));
  const checks = ["KubernetesVersion", "UpgradePath", "IncompatibleDatabaseVersion", "LicenseInvalid"];
  const ofModules = ["AutoUpgradeUserModules", "UserModuleNotListed", "UnsupportedModule"];
  proves(
    "§9 the six prerequisite checks: Kubernetes, cluster, databases, user-defined modules, module builds, licence",
    "ids of the checks that `storectl preflight` passed on a cluster that lacks nothing",
  ).deepEqual(
    [...checks, ...ofModules].filter((id) => !passed.includes(id)),
    [],
  );
  assert.equal(code, 0, stdout);
  proves(
    "§4.3.1 prerequisites are checked first",
    "verdict of `storectl preflight` before anything is upgraded",
  ).deepEqual([report.verdict, report.from, report.to], ["ready", "8.0.6-8", latestRelease().operator]);
  const strange = report.checks.filter(({ outcome }: { outcome: string }) => outcome !== "passed");
  assert.deepEqual(strange, []);
});

await test("plan prints the way to the latest release, the same as YAML", async () => {
  const { code, stdout } = await storectl("plan", "--to", latestRelease().operator, "--databases", "8.0");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /1\. operator: 8\.0\.6-8 -> 8\.2\.0-12\n/);
  assert.match(stdout, /2\. cluster: 8\.0\.6-54 -> 8\.2\.0-25\.12\n/);
  assert.match(stdout, /3\. databases: 7\.2 -> 8\.0\n[^]*"orders"/);
  const yaml = await storectl("plan", "--to", latestRelease().operator, "-o", "yaml");
  assert.match(yaml.stdout, /^possible: true$/m);
});

await test("under the policy major, plan and upgrade move databases to major versions alone, and say so", async () => {
  const to = ["--to", latestRelease().operator, "--databases"];
  const setPolicy = (storeUpgradePolicy: "major" | "latest") =>
    world.kube.patch(Clusters, REC, { type: "merge", body: { spec: { storeUpgradePolicy } } });
  await setPolicy("major");
  const allowed = await storectl("plan", ...to, "8.0");
  assert.match(allowed.stdout, /3\. databases: 7\.2 -> 8\.0\n[^]*the upgrade policy "major" keeps "orders" from minor/);
  for (const asked of [await storectl("plan", ...to, "8.2"), await storectl("upgrade", ...to, "8.2", "--yes")]) {
    assert.equal(asked.code, 3, asked.stderr);
    assert.match(
      unfolded(asked.stdout),
      /databases to 8\.2 is not possible at .*: 8\.2 is a minor version, and only 7\.2, 8\.0/,
    );
    assert.match(unfolded(asked.stdout), /the upgrade policy of cluster rec is "major": kubectl patch rec rec /);
  }
  await setPolicy("latest");
  assert.equal((await storectl("plan", ...to, "8.2")).code, 0);
});

await test("plan names the missing edge, and ends with 3", async () => {
  const { code, stdout } = await storectl("plan", "--to", "7.22.2-21");
  assert.equal(code, 3);
  assert.match(stdout, /There is no way to 7\.22\.2-21:\n.*older than 8\.0\.6-8/);
});

await test("a user who may read only the objects gets a list of what could not be read", async () => {
  const kubeconfig = await readerKubeconfig();
  const { code, stdout, stderr } = await storectl("preflight", "--kubeconfig", kubeconfig, "-o", "json");
  assert.equal(code, 4, stderr || stdout);
  const unknown = JSON.parse(stdout).checks.filter(({ outcome }: { outcome: string }) => outcome === "unknown");
  const ids = unknown.map(({ id }: { id: string }) => id);
  for (const id of ["WorkerUnschedulable", "VolumeNotBound", "DefinitionWrong"])
    assert.ok(ids.includes(id), ids.join());
  assert.match(unknown[0].finding.evidence, /it is not known whether .* may not read|forbidden/);
});

await test(
  "why names the rule of a wrong tag, and its command clears it",
  { skip: kubectl === undefined },
  async () => {
    await setTag("8.0.6-99");
    await world.stateIs("InvalidUpgrade");
    const blocked = await storectl("preflight");
    assert.equal(blocked.code, 3);
    proves(
      "§4.3.1 prerequisites are checked first",
      "what `storectl preflight` prints of a cluster whose tag is in no release",
    ).match(blocked.stdout, /^BLOCKS +UnknownImageTag\n/m);
    const { code, stdout } = await storectl("why", "rec/rec", "-o", "json");
    assert.equal(code, 3);
    const [answer] = JSON.parse(stdout).answers;
    assert.equal(answer.rule, "UnknownImageTag");
    assert.match(answer.evidence, /"8\.0\.6-99", which is in no release/);
    assert.ok(Date.parse(answer.since) > 0);
    await typed(answer.clears.replace(/^kubectl/, kubectl?.path ?? "kubectl"));
    await world.stateIs("Running");
    await until("nothing is wrong", async () => (await storectl("why")).code === 0, PATIENCE);
  },
);

await test(
  "the privileged constraint of old releases is named while it is bound, and its commands clear it",
  { skip: kubectl === undefined },
  async () => {
    await applyConstraint();
    const bound = await leftOver();
    proves(
      "§2.1 the privileged constraint store-enterprise-scc-v2 is not needed",
      "what `storectl preflight` says while it is there: the accounts that are bound, and that nodes run without privileges",
    ).match(
      bound?.evidence,
      /^store-enterprise-scc-v2 is bound to system:serviceaccount:default:rec and RoleBinding old-nodes, .*run without/,
    );
    const commands = /: (kubectl .*)$/.exec(bound?.remedy ?? "")?.[1] ?? "false";
    await typed(commands.replaceAll("kubectl", kubectl?.path ?? "kubectl"));
    proves(
      "§4.3.10 pods run unprivileged, without extra permissions",
      "what `storectl preflight` says of the old constraint after its remedy was typed: nothing; binding and constraint are gone",
    ).deepEqual(
      [
        await leftOver(),
        await world.kube.get(SecurityContextConstraints, { name: OLD_CONSTRAINT }),
        await world.kube.get(RoleBindings, { name: "old-nodes", namespace: "default" }),
      ],
      [undefined, undefined, undefined],
    );
  },
);

const mistakes: { name: string; args: string[]; code: number; says: RegExp }[] = [
  { name: "no release", args: ["plan"], code: 2, says: /required option '--to <release>'/ },
  { name: "a form of output that there is not", args: ["why", "-o", "xml"], code: 2, says: /table, json, yaml/ },
  { name: "a kind that there is not", args: ["why", "pod/orders"], code: 2, says: /rec, redb/ },
  { name: "a name that nothing has", args: ["why", "pod"], code: 1, says: /CLI_NO_DATABASE: .*"pod".* orders/ },
  {
    name: "a database version that there is not",
    args: ["plan", "--to", "x", "--databases", "9"],
    code: 2,
    says: /8\.2/,
  },
  {
    name: "an unknown release",
    args: ["preflight", "--to", "9.9.9"],
    code: 1,
    says: /CLI_UNKNOWN_RELEASE: .*8\.2\.0-12/,
  },
  { name: "an unknown cluster", args: ["status", "nope"], code: 1, says: /CLI_NO_CLUSTER: .* there are: rec/ },
  {
    name: "an empty namespace",
    args: ["status", "-n", "kube-public"],
    code: 1,
    says: /CLI_NO_CLUSTER: .*kube-public/,
  },
  { name: "a kind with an empty name", args: ["why", "rec/"], code: 2, says: /<kind>\/<name>/ },
  { name: "an unknown database, as printed", args: ["why", "redb/nope"], code: 1, says: /CLI_NO_DATABASE: .* orders/ },
  { name: "an unknown database", args: ["why", "redb", "nope"], code: 1, says: /CLI_NO_DATABASE: .* orders/ },
  { name: "an unknown context", args: ["status", "--context", "nope"], code: 1, says: /no context "nope", only: / },
];
for (const { name, args, code, says } of mistakes) {
  await test(`${name} ends with exit code ${code}, a clear sentence and a remedy`, async () => {
    const ran = await storectl(...args);
    assert.equal(ran.code, code, ran.stdout);
    assert.match(ran.stderr, says);
    assert.match(ran.stderr, /remedy:/);
  });
}

function storectl(...args: readonly string[]): Promise<Ran> {
  return world.storectl(...args);
}

async function leftOver(): Promise<Readonly<Record<"evidence" | "remedy", string>> | undefined> {
  const { stdout } = await storectl("preflight", "-o", "json");
  const found = JSON.parse(stdout).checks.find(({ id }: { id: string }) => id === "ConstraintLeftOver");
  return found?.outcome === "found" ? found.finding : undefined;
}

/** The constraint with its kind, which only OpenShift has, bound in both ways: as a user of it, and by a RoleBinding. */
async function applyConstraint(): Promise<void> {
  const [group, plural] = ["security.openshift.io", "securitycontextconstraints"];
  const names = { plural, singular: "scc", kind: "SecurityContextConstraints", shortNames: ["scc"] };
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  const metadata = { name: `${plural}.${group}` };
  const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata };
  await applied(JSON.stringify({ ...definition, spec: { group, names, scope: "Cluster", versions } }));
  const text = constraintFor(release("7.8.6-1")) ?? "";
  await until(
    "the constraint is there",
    () => applied(`${text}\nusers: ["system:serviceaccount:default:rec"]\n`),
    PATIENCE,
  );
  await world.kube.create(RoleBindings, {
    metadata: { name: "old-nodes", namespace: "default" },
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: `system:openshift:scc:${OLD_CONSTRAINT}`,
    },
    subjects: [{ kind: "ServiceAccount", name: "rec", namespace: "default" }],
  });
}

async function applied(text: string): Promise<boolean> {
  await writeFile(join(world.dir, "constraint.yaml"), text);
  return typed(`${kubectl?.path ?? "kubectl"} apply -f ${join(world.dir, "constraint.yaml")}`).then(
    () => true,
    () => false,
  );
}

/** As a user types it into a shell. */
async function typed(command: string): Promise<void> {
  const env = { ...process.env, KUBECONFIG: join(world.dir, "kubeconfig") };
  await new Promise<void>((resolve, reject) => {
    execFile("bash", ["--norc", "-c", command], { env, timeout: 60_000 }, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${command}: ${stderr}`));
    });
  });
}

async function setTag(versionTag: string): Promise<void> {
  await world.kube.patch(Clusters, REC, {
    type: "merge",
    body: { spec: { storeEnterpriseImageSpec: { versionTag } } },
  });
}

/** A kubeconfig of a user who may read clusters, databases, pods and StatefulSets, and nothing else. */
async function readerKubeconfig(): Promise<string> {
  const metadata = { name: "reader", namespace: "default" };
  await world.kube.create(ServiceAccounts, { metadata });
  const verbs = ["get", "list"];
  await world.kube.create(Roles, {
    metadata,
    rules: [
      { apiGroups: ["app.storeenterprise.io"], resources: ["*"], verbs },
      { apiGroups: [""], resources: ["pods"], verbs },
      { apiGroups: ["apps"], resources: ["statefulsets"], verbs },
    ],
  });
  await world.kube.create(RoleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
  });
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: null } };
  const path = "/api/v1/namespaces/default/serviceaccounts/reader/token";
  const { status } = JSON.parse(await world.kube.raw("POST", path, body));
  const own = await readFile(join(world.dir, "kubeconfig"), "utf8");
  const file = join(world.dir, "reader.kubeconfig");
  await writeFile(
    file,
    own.replace(/client-certificate-data: .*\n(\s+)client-key-data: .*/, `token: ${status.token}`),
    {
      mode: 0o600,
    },
  );
  return file;
}

/** On one line, as the text is before it is folded for the terminal. */
function unfolded(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
