import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { Clusters } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import { installOperator, type ScenarioContext } from "../../../src/programs/demo/steps/steps.ts";
import { until } from "#kit/testing/until";

const REC = { name: DEMO.cluster, namespace: DEMO.namespace };

/** Rolls the operator back to an older release; resolves once that manages its cluster, which has not been touched. */
export async function goBackTo(stage: ScenarioContext, bundle: string, older: Release): Promise<void> {
  await installOperator(stage, bundle, older);
  const manages = async (): Promise<boolean> => {
    const { state, conditions = [] } = (await stage.kube.get(Clusters, REC))?.status ?? {};
    return (
      state === "Running" && !conditions.some(({ type, status }) => type === "ReconcileSuspended" && status === "True")
    );
  };
  await until("the older operator manages its cluster again", manages, { withinMs: 60_000, everyMs: 100 });
}
