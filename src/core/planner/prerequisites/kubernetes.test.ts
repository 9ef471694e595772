import { pod, release, asking } from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import { stepFrom } from "./check-input.ts";

const to = release("7.8.6-1");
const step = stepFrom("7.8.4-95", to);
/** Every node at 7.8.4-9, asked for 7.8.6-1. */
const view = {
  release: to,
  spec: asking(to.nodeTag),
  pods: [0, 1, 2].map((ordinal) => pod(ordinal, { nodeTag: "7.8.4-95" })),
};

const cases: readonly CheckCase[] = [
  {
    name: "a Kubernetes that one of the releases does not list blocks",
    view: { ...view, kubernetesMinor: "1.33" },
    step,
    found: "block KubernetesVersionUnsupported",
    evidence: /Kubernetes 1\.33 is not supported by 7\.8\.4-9 nor by 7\.8\.6-1/,
  },
  {
    name: "OpenShift is judged by its own version, also when the Kubernetes inside is listed",
    view: { ...view, kubernetesMinor: "1.32", isOpenShift: true },
    step,
    found: "block KubernetesVersionUnsupported",
    evidence: /OpenShift 4\.19 is not supported by .*7\.8\.6-1/,
  },
  {
    name: "every release that a node runs counts, not the first",
    view: {
      ...view,
      kubernetesMinor: "1.32",
      pods: [pod(0, { nodeTag: to.nodeTag }), pod(1, { nodeTag: "7.8.4-95" }), pod(2, { nodeTag: to.nodeTag })],
    },
    step: stepFrom(to.nodeTag, to),
    found: "block KubernetesVersionUnsupported",
    evidence: /Kubernetes 1\.32 is not supported by 7\.8\.4-9/,
  },
];

testChecks(cases);
