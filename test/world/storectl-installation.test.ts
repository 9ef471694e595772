import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { foundKubectls } from "../api-servers/kubectls.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { typedLines } from "../kit/frozen/typed-lines.ts";
import { PATIENCE, startStorectlWorld } from "../kit/world/storectl-world.ts";
import type { WhyAnswer } from "../../src/programs/cli/why/answer.ts";

const [kubectl] = foundKubectls();
const skip = kubectl === undefined;

const ASTRAY = `kubectl patch svc admission --type merge -p '{"spec":{"ports":[{"port":443,"targetPort":9999}]}}'`;
const ASK = "sed 's/OPERATOR_NAMESPACE/default/g' deploy/admission/cluster-role.yaml | kubectl apply -f -";
const LABEL = "kubectl label rec rec --overwrite touched=yes";

await using world = await startStorectlWorld(release("8.0.6-8"));

await test(
  "a webhook that was asked for and whose Service leads elsewhere is named, and one line opens it",
  { skip },
  async () => {
    await type(ASTRAY);
    await type(ASK);
    const { level, evidence, clears } = await answerOf("NoEndpoints");
    assert.match(evidence, /leads port 443 to 9999, .* at 8443: the webhook is not filled in before there is one$/);
    assert.equal(level, "blocks");
    const [line = ""] = typedLines(clears);
    await type(line);
    await untilNothingIsWrong();
  },
);

await test(
  "one that is filled in refuses writes while its Service leads elsewhere, and the same line opens it",
  { skip },
  async () => {
    await type(LABEL);
    await type(ASTRAY);
    const { level, evidence, clears } = await answerOf("WebhookStale");
    assert.match(evidence, /leads port 443 to 9999, .* at 8443: writes of users are refused$/);
    assert.equal(level, "blocks");
    await assert.rejects(type(LABEL.replace("yes", "no")), /failed calling webhook/);
    const [line = ""] = typedLines(clears);
    await type(line);
    await untilNothingIsWrong();
    await type(LABEL.replace("yes", "no"));
  },
);

await test(
  "an operator that is paused is named before the upgrade, while it waits, and by what its line says",
  { skip },
  async () => {
    await type("kubectl rollout pause deployment/store-enterprise-operator");
    const RESUME = "kubectl rollout resume deployment/store-enterprise-operator";
    const before = await answerOf("OperatorNotReady");
    assert.deepEqual([before.level, before.clears], ["warns", RESUME]);
    const { code, stdout } = await world.storectl("upgrade", "--to", "8.2.0-12", "--yes");
    assert.equal(code, 3, stdout);
    assert.match(
      unfolded(stdout),
      /operator:8\.2\.0-12\) is paused: no pod of this image is made .*kubectl rollout resume/,
    );
    const { level, clears } = await answerOf("OperatorNotReady");
    assert.deepEqual([level, clears], ["blocks", RESUME]);
    await type(clears);
    await type("kubectl rollout status deployment/store-enterprise-operator --timeout=60s");
    const gone = async (): Promise<boolean> => (await answersNow()).every(({ rule }) => rule !== "OperatorNotReady");
    await until("it is no cause any more", gone, PATIENCE);
  },
);

async function answersNow(): Promise<readonly WhyAnswer[]> {
  const { stdout, stderr } = await world.storectl("why", "-o", "json");
  return JSON.parse(stdout || `{"answers":[],"error":${JSON.stringify(stderr)}}`).answers;
}

async function answerOf(rule: string): Promise<WhyAnswer> {
  let answers: readonly WhyAnswer[] = [];
  const find = (): WhyAnswer | undefined => answers.find((one) => one.rule === rule);
  await until(
    `why says ${rule}`,
    async () => {
      answers = await answersNow();
      return find() !== undefined;
    },
    PATIENCE,
  );
  const found = find();
  assert.ok(found);
  return found;
}

function untilNothingIsWrong(): Promise<void> {
  return until("nothing is wrong", async () => (await answersNow()).length === 0, PATIENCE);
}

/** As a user types it into a shell. */
async function type(line: string): Promise<void> {
  const [folder] = [join(kubectl?.path ?? "", "..")];
  const env = { ...process.env, KUBECONFIG: join(world.dir, "kubeconfig"), PATH: `${folder}:${process.env["PATH"]}` };
  await new Promise<void>((resolve, reject) => {
    execFile("bash", ["--norc", "-c", line], { env, timeout: 60_000 }, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${line}: ${stderr}`));
    });
  });
}

/** On one line, as the text is before it is folded for the terminal. */
function unfolded(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
