import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import { distributionSupport } from "../../releases/catalogue/distribution.ts";
import { block, notKnown, warn } from "../findings/finding.ts";
import { defineCheck } from "./check.ts";

/** §9 (a): every release that a node runs lives on this distribution for a while. */
export const kubernetesIsSupported = defineCheck({
  id: "KubernetesVersion",
  asks: "both releases support the Kubernetes distribution and its version",
  at: ["start"],
  needs: ["kubernetesMinor"],
  find({ view: { kubernetesMinor: minor, isOpenShift = false, pods }, step }) {
    if (minor === undefined || step === undefined) return undefined;
    const running = pods.map(({ nodeTag }) => releaseByNodeTag(nodeTag));
    const releases = new Set([step.from, ...running, step.to].filter((one) => one !== undefined));
    const asked = [...releases].map((release) => ({
      release,
      ...distributionSupport(release, { minor, isOpenShift }),
    }));
    const without = asked.filter(({ support }) => support === "unsupported");
    const [first] = without;
    if (first !== undefined) {
      return block(
        "KubernetesVersionUnsupported",
        `${first.name} is not supported by ${without.map(({ release }) => release.operator).join(" nor by ")}`,
        `bring ${nameOf(isOpenShift)} to one of ${first.supported.join(", ")}, or choose another release`,
      );
    }
    const strange = asked.find(({ support }) => support === "unknown");
    if (strange !== undefined)
      return notKnown("KubernetesVersion", `whether ${strange.release.operator} supports ${strange.name} is not known`);
    const { name, support, supported } = distributionSupport(step.to, { minor, isOpenShift });
    if (support !== "deprecated") return undefined;
    return warn(
      "KubernetesVersionDeprecated",
      `${name} is deprecated for ${step.to.operator}`,
      `plan to bring ${nameOf(isOpenShift)} to one of ${supported.join(", ")}`,
    );
  },
});

function nameOf(isOpenShift: boolean): string {
  return isOpenShift ? "OpenShift" : "Kubernetes";
}
