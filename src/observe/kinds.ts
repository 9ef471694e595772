import { KINDS, type StoreEnterpriseCluster, type StoreEnterpriseDatabase, type KindName } from "../api/kinds.ts";
import { API_GROUP, API_VERSION } from "../api/names.ts";
import type { ResourceType } from "../kube/kube.ts";

export const Clusters: ResourceType<StoreEnterpriseCluster> = ours("cluster");
export const Databases: ResourceType<StoreEnterpriseDatabase> = ours("database");

function ours<T>(name: KindName): ResourceType<T> {
  const { kind, plural } = KINDS[name];
  return { group: API_GROUP, version: API_VERSION, kind, plural, namespaced: true };
}
