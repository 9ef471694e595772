import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView } from "../../../../test/kit/facts/cluster-view.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import { viewWithRestores } from "./pending-restores.ts";

type Cache = Parameters<typeof viewWithRestores>[1];
interface Restore {
  readonly database?: string;
  readonly namespace?: string;
  readonly replaces?: boolean;
  readonly phase?: string;
}

for (const [rule, restore, asked] of [
  ["a database that an object brings back does not ask for consent to its loss", {}, []],
  ["it asks again when the restore has failed", { phase: "Failed" }, [7]],
  ["and when it is over", { phase: "Completed" }, [7]],
  ["a restore that makes a database brings none back that is there", { replaces: false }, [7]],
  ["nor does one of another database", { database: "carts" }, [7]],
  ["nor of another namespace", { namespace: "team-b" }, [7]],
] as const satisfies readonly (readonly [string, Restore, readonly number[]])[])
  test(`restores of lost data: ${rule}`, () => {
    assert.deepEqual(askingIn(viewWithRestores(lostView(), cacheWith(restore))), asked);
  });

function lostView(): ClusterView {
  const view = clusterView();
  const { cluster } = view;
  if (!cluster.reachable) throw new Error("the cluster of the view does not answer");
  const database = { uid: 7, name: "orders", status: "recovery", needsConsent: true, waitingFor: "its data is gone" };
  return { ...view, cluster: { ...cluster, databases: [{ ...database } as never] } };
}

function askingIn({ cluster }: ClusterView): readonly number[] {
  return cluster.reachable ? cluster.databases.flatMap(({ uid, needsConsent }) => (needsConsent ? [uid] : [])) : [];
}

function cacheWith({ database = "orders", namespace = "default", replaces = true, phase }: Restore): Cache {
  const { name } = clusterView();
  const redb = { status: { databaseUID: "7", cluster: name } };
  const restore = {
    metadata: { name: "again", namespace },
    spec: { databaseName: database, replaceLostData: replaces },
    status: { phase },
  };
  return {
    restores: { list: () => [restore] },
    databases: {
      get: (ref: { name: string; namespace: string }) =>
        ref.name === "orders" && ref.namespace === "default" ? redb : undefined,
    },
  } as unknown as Cache;
}
