import { refusedGrowth, volumeObjections } from "../admission/cluster-volumes.ts";
import { volumeGrowth } from "../view/volume-growth.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { defineCheck } from "./check.ts";
import { operatorFinding } from "./permissions.ts";

/** A StatefulSet with other volumes would be refused, and the roll would stop: the spec has to be corrected first. */
export const volumesStay = defineCheck({
  id: "VolumesChanged",
  asks: "the volumes of the spec are those that the nodes have, or larger ones",
  at: ["edit"],
  needs: [],
  find({ view }) {
    const { name, spec, workload, remembered } = view;
    if (workload === undefined || workload.presence === "lost") return undefined;
    const { volumes } = workload;
    const has =
      volumes === undefined
        ? { ...spec.persistentSpec, enabled: false }
        : { enabled: true, ...volumeSettings(volumes) };
    const least = remembered.persistenceStatus?.volumeSize ?? has.volumeSize;
    const [objection] = volumeObjections(name, spec.persistentSpec, has, least);
    return objection?.finding;
  },
});

/** Nothing is begun that Kubernetes would refuse half-way. */
export const volumesCanGrow = defineCheck({
  id: "VolumeGrowthRefused",
  asks: "Kubernetes lets the volumes grow to the size of the spec",
  at: ["edit"],
  needs: [],
  find({ view, environment: { permissions, volumes } }) {
    const growth = volumeGrowth(view);
    if (growth === undefined) return undefined;
    const lacking = permissions?.read === true ? permissions.value.filter(({ resource }) => resource === CLAIMS) : [];
    if (lacking.length > 0) return operatorFinding(lacking, view.release.operator);
    const refusal = volumes?.read === true ? volumes.value.find(({ refusal }) => refusal)?.refusal : undefined;
    return refusal && refusedGrowth(view.name, growth.to, growth.from, refusal).finding;
  },
});

const CLAIMS = "persistentvolumeclaims";

type NodeVolumes = NonNullable<NonNullable<ClusterView["workload"]>["volumes"]>;

function volumeSettings({ size, storageClassName }: NodeVolumes) {
  return { volumeSize: size, ...(storageClassName === undefined ? {} : { storageClassName }) };
}
