import { customResourceDefinitions } from "../../../src/core/api/crd.ts";
import type { StoreEnterpriseCluster } from "../../../src/core/api/kinds.ts";
import { connect } from "#kit/kube/client";
import { CustomResourceDefinitions } from "#kit/kube/builtin";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube, ResourceType, Stored } from "#kit/kube/kube";
import { Clusters } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { runOperator } from "../../../src/programs/operator/run.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { release } from "../facts/cluster-view.ts";
import { startLoopbackApi } from "../kubernetes/loopback-api.ts";
import { until } from "#kit/testing/until";

/** An embedded API with our definitions, and operators of any release in this process. No pods run. */
export interface OperatorWorld extends AsyncDisposable {
  readonly kube: Kube;
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Starts an operator of this release, after the one that runs has ended; `through` changes its way to the API. */
  operate(version: string, through?: (kube: Kube) => Kube): Promise<void>;
  /** Ends the operator that runs. */
  rest(): Promise<void>;
  /** The cluster "rec", once `claim` holds for it. */
  cluster(
    what: string,
    claim: (rec: Stored<StoreEnterpriseCluster>) => boolean,
  ): Promise<Stored<StoreEnterpriseCluster>>;
  log(): string;
  /** What operators have asked the API for so far but for Leases and reviews of permissions, as "patch secrets rec". */
  asked(): readonly string[];
}

/** Starts the API of a Kubernetes, for instance "v1.30.9", and installs our definitions; no operator runs yet. */
export async function startOperatorWorld(kubernetesVersion?: string): Promise<OperatorWorld> {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startLoopbackApi("operator", kubernetesVersion));
  const { kubeconfig, log, lines } = api;
  const kube = stack.adopt(connect(loadKubeConfig({ KUBECONFIG: kubeconfig })), (client) => client.close());
  for (const crd of customResourceDefinitions()) {
    await kube.apply(CustomResourceDefinitions, structuredClone(crd) as never, { fieldManager: "test" });
  }
  const asked: string[] = [];
  const counted = countingKube(kube, (verb, { plural, group }, name) => {
    if (plural !== "leases" && group !== "authorization.k8s.io") asked.push(`${verb} ${plural} ${name}`);
  });
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  const rest = async (): Promise<void> => {
    running?.stop.abort(new Error("the test ends it"));
    await running?.ended;
    running = undefined;
  };
  stack.defer(rest);
  const owned = stack.move();
  return {
    kube,
    kubeconfig,
    namespace: "default",
    rest,
    async operate(version, through = (same) => same) {
      await rest();
      const stop = new AbortController();
      const config = {
        namespace: "default",
        identity: `test-${version}`,
        address: api.address(1),
        release: release(version),
      };
      const ended = runOperator(
        { kube: through(counted), clock: systemClock, log, config, healthPort: 0 },
        stop.signal,
      );
      running = { stop, ended };
    },
    cluster: (what, claim) => awaitCluster(kube, what, claim, lines),
    log: () => lines.join(""),
    asked: () => asked,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function awaitCluster(
  kube: Kube,
  what: string,
  claim: (rec: Stored<StoreEnterpriseCluster>) => boolean,
  lines: readonly string[],
): Promise<Stored<StoreEnterpriseCluster>> {
  let seen: Stored<StoreEnterpriseCluster> | undefined;
  const holds = async (): Promise<boolean> => {
    seen = await kube.get(Clusters, { name: "rec", namespace: "default" });
    return seen !== undefined && claim(seen);
  };
  await until(what, holds, { withinMs: 15_000, everyMs: 50 }).catch((error: unknown) => {
    throw new Error(`${String(error)}; status: ${JSON.stringify(seen?.status)}; log: ${lines.slice(-20).join("")}`);
  });
  if (seen === undefined) throw new Error("there is no cluster");
  return seen;
}

/** The same port; `record` gets each request but watches and raw ones. */
function countingKube(kube: Kube, record: (verb: string, type: ResourceType<unknown>, name: string) => void): Kube {
  return {
    ...kube,
    get: (type, ref) => {
      record("get", type, ref.name);
      return kube.get(type, ref);
    },
    list: (type, where) => {
      record("list", type, "");
      return kube.list(type, where);
    },
    create: (type, object, how) => {
      record("create", type, object.metadata.name);
      return kube.create(type, object, how);
    },
    update: (type, object, how) => {
      record("update", type, object.metadata.name);
      return kube.update(type, object, how);
    },
    patch: (type, ref, patch, how) => {
      record("patch", type, ref.name);
      return kube.patch(type, ref, patch, how);
    },
    apply: (type, object, how) => {
      record("apply", type, object.metadata.name);
      return kube.apply(type, object, how);
    },
    delete: (type, ref, how) => {
      record("delete", type, ref.name);
      return kube.delete(type, ref, how);
    },
  };
}
