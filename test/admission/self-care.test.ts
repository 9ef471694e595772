import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Secrets, ValidatingWebhookConfigurations } from "#kit/kube/builtin";
import { KINDS } from "../../src/core/api/kinds.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { createAuthority, type KeyPair } from "#kit/pki/authority";
import { definitionsOf, yaml } from "../../src/core/releases/bundle/bundle.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { startAdmissionWorld, webhookTemplate } from "./world.ts";
import { until } from "#kit/testing/until";

const SECRET = { name: "admission-tls", namespace: "default" };
const WEBHOOK = { name: "store-enterprise-admission" };

const CLUSTER =
  "{ apiVersion: app.storeenterprise.io/v1, kind: StoreEnterpriseCluster, metadata: { name: rec }, spec: {} }\n";

await using world = await startAdmissionWorld();
await world.kubectl.given(
  readFileSync("deploy/admission/cluster-role.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", "default"),
  "apply -f -",
);
await world.kubectl.given(
  webhookTemplate().replace("name: store-enterprise-admission", "name: redb-admission"),
  "create -f -",
);
const first = await world.start("one");
// the old webhook refuses it until the operator has removed it
await until("the cluster is admitted", async () => {
  const { code } = await world.kubectl.run("apply -f -", [], { stdin: CLUSTER });
  return code === 0;
});

await test("the operator may not create a webhook, nor change or remove one of another name", async () => {
  const operator = "--as system:serviceaccount:default:store-enterprise-operator";
  const mayI = async (verb: string, name = ""): Promise<string> =>
    (await world.kubectl.run(`auth can-i ${verb} validatingwebhookconfigurations${name} ${operator}`)).stdout.trim();
  assert.deepEqual(
    await Promise.all([mayI("create"), mayI("patch"), mayI("patch", "/another"), mayI("delete", "/another")]),
    ["no", "no", "no", "no"],
  );
  assert.equal(await mayI("patch", "/store-enterprise-admission"), "yes");
});

await test("the operator removes the old webhook, fills in the new one and says that it is current", async () => {
  const message = await world.admission("Current");
  assert.match(message, /store-enterprise-admission is current/);
  const { items } = await world.kube.list(ValidatingWebhookConfigurations);
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ["store-enterprise-admission"],
  );
  assert.equal(await bundle(), (await world.kube.get(Secrets, SECRET))?.data?.["cert"]);
});

await test("a second webhook that calls this operator is reported", async () => {
  const helm = webhookTemplate().replace(
    "name: store-enterprise-admission",
    "name: store-enterprise-admission-default",
  );
  await world.kubectl.given(helm, "create -f -");
  const message = await world.admission("Doubled");
  assert.match(message, /kubectl delete ValidatingWebhookConfiguration store-enterprise-admission-default/);
  await world.kubectl("delete ValidatingWebhookConfiguration store-enterprise-admission-default");
  await world.admission("Current");
});

const SPOILED: Readonly<Record<string, readonly [path: string, value: unknown]>> = {
  certificate: ["clientConfig/caBundle", "Q0E="],
  port: ["clientConfig/service/port", 444],
  path: ["clientConfig/service/path", "/"],
  Service: ["clientConfig/service/name", "other"],
  kinds: ["rules", []],
};

for (const [what, [path, value]] of Object.entries(SPOILED))
  await test(`its ${what} that was spoiled by hand comes back`, async () => {
    const entry = async () => (await world.kube.get(ValidatingWebhookConfigurations, WEBHOOK))?.webhooks?.[0];
    const before = await entry();
    const operations = [{ op: "replace", path: `/webhooks/0/${path}`, value }];
    await world.kube.patch(ValidatingWebhookConfigurations, WEBHOOK, { type: "json", operations });
    await until("it is as before", async () => isDeepStrictEqual(await entry(), before), {
      withinMs: 60_000,
      everyMs: 50,
    });
    await world.admission("Current");
  });

await test("a secret that is deleted comes back as it was, and nothing is refused meanwhile", async () => {
  const before = await world.kube.get(Secrets, SECRET);
  await using load = startLoad("deleted");
  await world.kube.delete(Secrets, SECRET);
  await until("it is back", async () => (await world.kube.get(Secrets, SECRET)) !== undefined, {
    withinMs: 60_000,
    everyMs: 50,
  });
  assert.deepEqual((await world.kube.get(Secrets, SECRET))?.data, before?.data);
  await load.end(20);
});

await test("the authority rotates under load on two replicas without one refused write", async () => {
  await world.start("two");
  await using load = startLoad("rotated");
  for (let round = 0; round < 2; round += 1) {
    const authority = createAuthority({
      commonName: `made by hand ${round}`,
      now: new Date(),
      days: 365,
      canBeSucceeded: true,
    });
    await replaceSecret(authority);
    await until("the webhook trusts it", async () => (await bundle()) === base64(authority.certificate), {
      withinMs: 60_000,
      everyMs: 20,
    });
    await load.more(20);
  }
  await load.end(40);
});

await test("a certificate of the server's own, made with openssl, is used as it is", async () => {
  await using load = startLoad("own");
  using folder = mkdtempDisposableSync(join(tmpdir(), "openssl-"));
  const [cert, key] = [join(folder.path, "cert"), join(folder.path, "key")];
  const name = ["-subj", "/CN=admission", "-addext", "subjectAltName=DNS:admission.default.svc"];
  const how = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-out", cert, "-keyout", key, ...name];
  execFileSync("openssl", how, { stdio: "ignore" });
  await replaceSecret({ certificate: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") });
  await world.admission("Current");
  await load.end(20);
});

await test("a secret that cannot be used is replaced, and says why in the log", async () => {
  await using load = startLoad("broken");
  // not what the webhook trusts: that may still be two
  const before = (await world.kube.get(Secrets, SECRET))?.data?.["cert"];
  await replaceSecret({ certificate: "no certificate", key: "no key" });
  await until("it can be used again", async () => (await world.kube.get(Secrets, SECRET))?.data?.["cert"] === before, {
    withinMs: 60_000,
    everyMs: 50,
  });
  await load.end(20);
  assert.match(world.log(), /the secret admission-tls is replaced.*the pair cannot be read/);
});

await test("a schedule of backups that cannot be followed is refused with the field, and what is allowed", async () => {
  const { kubectl } = world;
  const sample = readFileSync("deploy/samples/backup-schedule.yaml", "utf8");
  const refused = (from: string, to: string) => kubectl.refusedGiven(sample.replace(from, to), "apply -f -");
  const daily = await refused("30 2 * * *", '"@daily"');
  assert.match(daily, /spec\.schedule: Invalid value: "@daily": it has five fields: .*write for instance "30 2 /);
  assert.match(
    await refused("Europe/Berlin", "Berlin"),
    /spec\.timeZone: Invalid value: "Berlin": .* "Europe\/Berlin"/,
  );
  assert.match(await refused("orders-nightly", "n".repeat(53)), /metadata\.name: Invalid value: .*52 characters/);
});

await test("definitions of an older release are refused, those of this one and marks of newer ones are not", async () => {
  const { kubectl } = world;
  const older = definitionsOf(release("8.0.18-11")).map(yaml).join("---\n");
  const refused = await kubectl.refusedGiven(older, "apply -f -");
  assert.equal(refused.match(/denied the request: metadata\.annotations/g)?.length, Object.keys(KINDS).length, refused);
  assert.match(refused, /of 8\.0\.18-11 and would replace the one of 8\.2\.0-12: fields .* would be cut off objects/);
  assert.match(refused, /leave it as it is: older operators work with it/);
  const crd = "crd storeenterpriseclusters.app.storeenterprise.io";
  const mark = (value: string) => `annotate --overwrite ${crd} storeenterprise.io/release${value}`;
  assert.match(await kubectl.refused(mark("-")), /of no marked release/);
  await kubectl("apply -f deploy/chart/crds");
  await kubectl(mark("=8.2.0-13"));
});

await test("a guard of definitions that was deleted is put back", async () => {
  const operations = [{ op: "remove", path: "/webhooks/1" }];
  await world.kube.patch(ValidatingWebhookConfigurations, WEBHOOK, { type: "json", operations });
  const names = async (): Promise<readonly string[]> =>
    (await world.kube.get(ValidatingWebhookConfigurations, WEBHOOK))?.webhooks?.map(({ name }) => name) ?? [];
  assert.equal((await names()).length, 1);
  await until("it is back", async () => (await names()).length === 2, { withinMs: 60_000, everyMs: 50 });
  await world.admission("Current");
});

await test("a replica that stops answers its open requests; the other one goes on", async () => {
  await using load = startLoad("handed-over");
  await load.more(10);
  await first.stop();
  await load.more(10);
  await load.end(20);
});

await test("without an answer from the webhook, the operator works on and objects can be deleted; the way out is one command", async () => {
  const { kubectl } = world;
  await kubectl.given(object("last"), "apply -f -");
  await kubectl("delete endpointslices -l kubernetes.io/service-name=admission");
  await world.admission("NoEndpoints");
  const grown = object("last", '{ memorySize: "1GB" }');
  // server-side, so that kubectl does not read the object first: the operator reads them by list and watch alone
  const apply = "apply --server-side --force-conflicts --validate=false -f -";
  assert.match(await kubectl.refusedGiven(grown, apply), /failed calling webhook/);
  await kubectl.given(grown, `${apply} --as system:serviceaccount:default:store-enterprise-operator`);
  await kubectl("delete redb last --wait=false");
  await kubectl("patch redb last --type merge -p", '{"metadata":{"finalizers":null}}');
  await kubectl("wait --for=delete redb/last --timeout=10s");
  await kubectl("delete ValidatingWebhookConfiguration store-enterprise-admission");
  await kubectl.given(object("never"), "apply -f -");
});

interface Load extends AsyncDisposable {
  /** Waits for so many more writes. */
  more(count: number): Promise<void>;
  /** Ends it; fails when one was refused, or fewer than `least` were made. */
  end(least: number): Promise<void>;
}

/** Writes all the time; each write is judged. */
function startLoad(name: string): Load {
  const refused: string[] = [];
  let count = 0;
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      const said = await write(name, count);
      if (said !== "") refused.push(said);
      count += 1;
    }
  })();
  const more = (least: number): Promise<void> => {
    const goal = count + least;
    return until(`${least} more writes`, () => count >= goal, { withinMs: 60_000 });
  };
  const stop = async (): Promise<void> => {
    isOver = true;
    await running;
  };
  return {
    more,
    [Symbol.asyncDispose]: stop,
    end: async (least) => {
      if (count < least) await more(least - count);
      await stop();
      assert.deepEqual(refused, [], `of ${count} writes`);
    },
  };
}

/** What was said against the write; empty when it was let in. */
async function write(name: string, round: number): Promise<string> {
  const spec = { memorySize: `${100 + (round % 800)}MB` };
  const ref = { name, namespace: "default" };
  try {
    const found = await world.kube.get(Databases, ref);
    await (found === undefined
      ? world.kube.create(Databases, { metadata: ref, spec })
      : world.kube.patch(Databases, ref, { type: "merge", body: { spec } }));
    return "";
  } catch (error) {
    return String(error);
  }
}

async function replaceSecret(pair: KeyPair): Promise<void> {
  await world.kube.delete(Secrets, SECRET);
  const data = { cert: base64(pair.certificate), privateKey: base64(pair.key) };
  await until("the secret is the new one", async () => {
    try {
      await world.kube.create(Secrets, { metadata: SECRET, type: "Opaque", data });
      return true;
    } catch {
      // the operator was quicker: once more
      await world.kube.patch(Secrets, SECRET, { type: "merge", body: { data } });
      return true;
    }
  });
}

async function bundle(): Promise<string> {
  const found = await world.kube.get(ValidatingWebhookConfigurations, WEBHOOK);
  return found?.webhooks?.[0]?.clientConfig.caBundle ?? "";
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function object(name: string, spec = "{}"): string {
  return `{ apiVersion: app.storeenterprise.io/v1, kind: StoreEnterpriseDatabase, metadata: { name: ${name} }, spec: ${spec} }\n`;
}
