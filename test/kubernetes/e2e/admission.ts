import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import { createAuthority } from "#kit/pki/authority";
import { until } from "#kit/testing/until";
import type { Scene } from "./scene.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 200 };
const WEBHOOK = "validatingwebhookconfiguration store-enterprise-admission";

/** The operator installs the webhook once it may; from then on nothing is written that is not judged. */
export async function webhookEnforces(scene: Scene): Promise<void> {
  const { kubectl } = scene;
  const access = readFileSync("deploy/admission/cluster-role.yaml", "utf8");
  await kubectl.given(access.replaceAll("OPERATOR_NAMESPACE", DEMO.namespace), "apply -f -");
  await untilCurrent(scene);
  assert.equal(await kubectl(`get ${WEBHOOK} -o`, "jsonpath={.webhooks[*].failurePolicy}"), "Fail Ignore");
  await assertJudged(scene);
  const older =
    "annotate --overwrite crd storeenterpriseclusters.app.storeenterprise.io storeenterprise.io/release=7.4.2-2";
  assert.match(await kubectl.refused(older), /this definition is of 7\.4\.2-2 and would replace the one of /);

  await kubectl(`scale deployment ${OPERATOR_NAME} --replicas=0`);
  await until(
    "the webhook does not answer",
    async () => (await edit(scene, 1)).includes("failed calling webhook"),
    PATIENCE,
  );
  await kubectl(`scale deployment ${OPERATOR_NAME} --replicas=1`);
  await until("the webhook answers again", async () => (await edit(scene, 2)) === "", PATIENCE);
  await assertJudged(scene);
}

/** With two replicas, the authority changes and the Secret is made again by hand, while a client writes all the time. */
export async function webhookSurvivesRotation(scene: Scene): Promise<void> {
  const { kubectl } = scene;
  await kubectl(`scale deployment ${OPERATOR_NAME} --replicas=2`);
  await kubectl(`rollout status deployment ${OPERATOR_NAME} --timeout=25s`);
  const writing = writeAllTheTime(scene);
  const first = await trusted(scene);

  await kubectl("delete secret admission-tls");
  const isBack = async (): Promise<boolean> => (await kubectl.run("get secret admission-tls")).code === 0;
  await until("the Secret is back", isBack, PATIENCE);
  assert.equal(await kubectl("get secret admission-tls -o", "jsonpath={.data.cert}"), first);

  const rotated = handMade();
  await kubectl.given(rotated.secret, "replace -f -");
  await until("the rotated authority alone is trusted", async () => (await trusted(scene)) === rotated.cert, PATIENCE);
  await assertJudged(scene);

  const again = handMade();
  await kubectl("delete secret admission-tls");
  await kubectl.given(again.secret, "apply --server-side --force-conflicts -f -");
  await until("the hand-made authority alone is trusted", async () => (await trusted(scene)) === again.cert, PATIENCE);
  await assertJudged(scene);

  assert.deepEqual(await writing.stop(), []);
  await kubectl("delete secret admission-tls"); // what a person made stays with them; the operator's own goes with the bundle
  await kubectl(`scale deployment ${OPERATOR_NAME} --replicas=1`);
  await untilCurrent(scene);
}

async function untilCurrent({ kubectl }: Scene): Promise<void> {
  const reason = (): Promise<string> =>
    kubectl(`get rec ${DEMO.cluster} -o`, 'jsonpath={.status.conditions[?(@.type=="AdmissionReady")].reason}');
  await until("the webhook is current", async () => (await reason()) === "Current", PATIENCE);
}

async function assertJudged({ kubectl }: Scene): Promise<void> {
  const refused = await kubectl.refused(`patch redb ${DEMO.database} --type=merge -p`, '{"spec":{"memorySize":"1MB"}}');
  assert.match(refused, /"orders" is invalid: spec\.memorySize: Invalid value: "1MB"/);
}

/** Base64 of what the API server trusts. */
async function trusted({ kubectl }: Scene): Promise<string> {
  return kubectl(`get ${WEBHOOK} -o`, "jsonpath={.webhooks[0].clientConfig.caBundle}");
}

/** Empty, or why the write was refused. */
async function edit({ kubectl }: Scene, round: number): Promise<string> {
  const body = JSON.stringify({ metadata: { annotations: { "example.com/round": String(round) } } });
  const { code, stderr } = await kubectl.run(`patch redb ${DEMO.database} --type=merge -p`, [body]);
  return code === 0 ? "" : stderr;
}

/** Writes until it is stopped; the answer is what was refused. */
function writeAllTheTime(scene: Scene): { stop(): Promise<readonly string[]> } {
  const refused: string[] = [];
  let isOver = false;
  const writing = (async () => {
    for (let round = 10; !isOver; round += 1) {
      const said = await edit(scene, round);
      if (said !== "") refused.push(said);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await writing;
      return refused;
    },
  };
}

/** An authority of one's own, as the Secret that holds it. */
function handMade(): { readonly secret: string; readonly cert: string } {
  const { certificate, key } = createAuthority({ commonName: "hand-made", now: new Date(), days: 3_650 });
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  const cert = encoded(certificate);
  const metadata = { name: "admission-tls", labels: { app: "store-enterprise" } };
  const data = { cert, privateKey: encoded(key) };
  return { cert, secret: JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data }) };
}
