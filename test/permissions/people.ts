import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { OPERATOR_NAME } from "../../src/core/api/names.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { PERSON_RIGHTS, PERSON_ROLES, type PersonRole } from "../../src/core/releases/permissions/people.ts";
import { accessText, type Access } from "../../src/core/releases/permissions/person-grants.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { Deployments, Namespaces, Roles, Secrets, ServiceAccounts } from "#kit/kube/builtin";
import { applyManifest } from "#kit/kube/manifest";
import { missingForManifest } from "../../src/programs/cli/access/manifest-rights.ts";
import { missingRights } from "../../src/programs/cli/access/rights.ts";
import { runStorectl } from "../../src/programs/cli/storectl.ts";
import type { TestServer } from "../api-servers/test-server.ts";
import { connectAs } from "../kit/kubernetes/permission-scene.ts";

const BUNDLE = bundleFor(latestRelease());

/** Binds each ready Role to an account as docs/permissions.md says, and asks the authorizer what the account may do. */
export async function peopleSuite(server: TestServer): Promise<void> {
  await describe("the ready Roles for people give what their table says, and nothing else of it", () => {
    for (const role of PERSON_ROLES) test(role, () => holdRole(server, role));
  });
  await test("the Roles of another cluster of the namespace do not open the Secrets of this one", () =>
    openOther(server));
  await test("an installer applies the bundle, and can neither read Secrets nor write another Role", () =>
    install(server));
  await test("what applying the bundle takes is named before anything is applied, with the Role that grants more than its writer has", () =>
    lackForBundle(server));
}

async function holdRole(server: TestServer, role: PersonRole): Promise<void> {
  await using person = await openPerson(server, [role]);
  const asked = PERSON_RIGHTS.flatMap((right) => accessesOf(right, person.namespace));
  const held = PERSON_RIGHTS.filter(({ roles }) => roles.includes(role));
  const isHeld = ({ verb, group, resource, name }: Access): boolean =>
    held.some(
      (one) =>
        `${one.group}/${one.resource}` === `${group}/${resource}` &&
        one.verbs.some((each) => each === verb) &&
        (one.only === undefined || one.only === "loginSecrets" || one.only.includes(name ?? "")),
    );
  const missing = (await missingRights(person.kube, asked)).map(accessText);
  const wanted = asked.filter((access) => !isHeld(access)).map(accessText);
  assert.deepEqual(missing.toSorted(), wanted.toSorted());
  const never = ["list", "create", "patch", "delete"].map((verb) => secret(verb, undefined, person.namespace));
  const others = [secret("get", "rec-ca", person.namespace), secret("get", "redb-orders", person.namespace), ...never];
  assert.deepEqual((await missingRights(person.kube, others)).length, others.length, "no Role opens other Secrets");
}

/** One access for each verb of a row; where names are listed, of the first. */
function accessesOf(
  { group, resource, verbs, only, isClusterWide }: (typeof PERSON_RIGHTS)[number],
  namespace: string,
): readonly Access[] {
  const name = only === undefined ? undefined : only === "loginSecrets" ? "rec" : only[0];
  return verbs.map((verb) => ({
    verb,
    group,
    resource,
    name,
    namespace: isClusterWide === true ? undefined : namespace,
  }));
}

function secret(verb: string, name: string | undefined, namespace: string): Access {
  return { verb, group: "", resource: "secrets", name, namespace };
}

async function openOther(server: TestServer): Promise<void> {
  await using person = await openPerson(server, ["login"], "other");
  const asked = ["rec", "rec-node-tls", "other", "other-node-tls"].map((name) => secret("get", name, person.namespace));
  assert.deepEqual(
    (await missingRights(person.kube, asked)).map(({ name }) => name),
    ["rec", "rec-node-tls"],
  );
}

async function install(server: TestServer): Promise<void> {
  await using person = await openPerson(server, ["installer"]);
  const { kube, namespace } = person;
  assert.deepEqual(await missingForManifest(person, BUNDLE), []);
  await applyManifest(kube, BUNDLE, namespace, "test");
  assert.ok(await server.kube.get(Deployments, { name: OPERATOR_NAME, namespace }));
  const more = {
    metadata: { name: "more", namespace },
    rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
  };
  await assert.rejects(kube.apply(Roles, more, { fieldManager: "test" }), { code: "KUBE_FORBIDDEN" });
  await assert.rejects(kube.get(Secrets, { name: "rec", namespace }), { code: "KUBE_FORBIDDEN" });
}

async function lackForBundle(server: TestServer): Promise<void> {
  await using person = await openPerson(server, ["upgrader"]);
  const { namespace } = person;
  const isOf = (text: string): boolean => /^(patch|create) /.test(text);
  const before = (await missingForManifest(person, BUNDLE)).map(accessText);
  assert.ok(before.includes("create deployments.apps") && before.every(isOf), before.join());
  await applyManifest(server.kube, BUNDLE, namespace, "test");
  // who may write Roles still grants no more than they have
  const rules = ["roles", "rolebindings"].map((resource) => ({
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: [resource],
    verbs: ["get", "patch"],
  }));
  await server.kube.patch(
    Roles,
    { name: "store-enterprise-upgrader-rec", namespace },
    { type: "json", operations: rules.map((value) => ({ op: "add", path: "/rules/-", value })) },
  );
  await server.kube.patch(Roles, { name: OPERATOR_NAME, namespace }, { type: "merge", body: { rules: [] } });
  const after = (await missingForManifest(person, BUNDLE)).map(accessText);
  assert.ok(after.includes(`escalate roles.rbac.authorization.k8s.io "${OPERATOR_NAME}"`), after.join());
  assert.ok(after.includes(`patch deployments.apps "${OPERATOR_NAME}"`), after.join());
  assert.deepEqual(
    (await server.kube.get(Roles, { name: OPERATOR_NAME, namespace }))?.["rules"] ?? [],
    [],
    "asking changed nothing",
  );
}

/** A namespace, and an account with these Roles, given to it by what `storectl role` prints. */
async function openPerson(server: TestServer, roles: readonly PersonRole[], cluster = "rec") {
  const namespace = `people-${randomBytes(4).toString("hex")}`;
  await server.kube.create(Namespaces, { metadata: { name: namespace } });
  await server.kube.create(ServiceAccounts, { metadata: { name: "person", namespace } });
  await using folder = await mkdtempDisposable(join(tmpdir(), "people-"));
  const file = join(folder.path, "roles.yaml");
  const words = ["role", ...roles, "--cluster", cluster, "--service-account", `${namespace}:person`];
  await writeFile(file, await printed(words));
  await server.kubectl(`apply -n ${namespace} -f ${file}`);
  const kube = await connectAs(server, namespace, "person");
  return { namespace, kube, [Symbol.asyncDispose]: () => kube.close() };
}

async function printed(words: readonly string[]): Promise<string> {
  let text = "";
  const print = (part: string): void => {
    text += part;
  };
  assert.equal(await runStorectl(words, { env: {}, store: "", print, clock: systemClock }), 0);
  return text;
}
