import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import { Leases } from "#kit/kube/builtin";
import { until } from "#kit/testing/until";
import type { Scene } from "./scene.ts";
import { settled } from "./whereabouts.ts";

/** Of two operators the one that leads goes; the other one acts on the next edit. */
export async function leaderHandOver(scene: Scene): Promise<void> {
  const { kubectl, stage } = scene;
  const lease = { namespace: DEMO.namespace, name: OPERATOR_NAME };
  const holder = async (): Promise<string> => (await stage.kube.get(Leases, lease))?.spec?.holderIdentity ?? "";
  await kubectl(`scale deployment ${OPERATOR_NAME} --replicas=2`);
  await kubectl(`rollout status deployment ${OPERATOR_NAME} --timeout=25s`);
  const first = await holder();
  await kubectl(`delete pod ${first} --grace-period=0 --force --wait=false`);
  const isAnother = async (): Promise<boolean> => !["", first].includes(await holder());
  await until("another operator leads", isAnother, { withinMs: 20_000, everyMs: 100 });
  await kubectl(`patch redb ${DEMO.database} --type=merge -p`, '{"spec":{"memorySize":"300MB"}}');
  const generation = await kubectl(`get redb ${DEMO.database} -o`, "jsonpath={.metadata.generation}");
  const seen = `--for=jsonpath={.status.observedGeneration}=${generation}`;
  await kubectl(`wait redb/${DEMO.database} ${seen} --timeout=25s`);
  await kubectl(`scale deployment ${OPERATOR_NAME} --replicas=1`);
  await settled(scene);
}
