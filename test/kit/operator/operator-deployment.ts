import type { Deployment } from "kubernetes-types/apps/v1.js";
import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { Deployments } from "#kit/kube/builtin";
import type { Kube, Stored } from "#kit/kube/kube";

/** The Deployment of the operator as an API without nodes needs it: its pods never start. */
export function deployOperator(kube: Kube, namespace: string): Promise<Stored<Deployment>> {
  const labels = { name: OPERATOR_NAME };
  const template = { metadata: { labels }, spec: { containers: [{ name: OPERATOR_NAME, image: OPERATOR_NAME }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  return kube.create(Deployments, { metadata: { name: OPERATOR_NAME, namespace }, spec });
}
