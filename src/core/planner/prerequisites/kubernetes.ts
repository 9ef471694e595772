import { kubernetesSupport } from "../../releases/catalogue/find.ts";
import { block, warn } from "../findings/finding.ts";
import type { Check } from "./check.ts";

/** §9 (a): both releases live on this Kubernetes for a while. */
export const kubernetesIsSupported: Check = {
  id: "KubernetesVersion",
  asks: "both releases support the version of Kubernetes",
  at: ["start"],
  needs: ["kubernetesMinor"],
  find({ view: { kubernetesMinor: minor }, step }) {
    if (minor === undefined || step === undefined) return undefined;
    const { from, to } = step;
    const releases = from === undefined ? [to] : [from, to];
    const without = releases.filter((one) => kubernetesSupport(one, minor) === "unsupported");
    const first = without[0];
    if (first !== undefined) {
      return block(
        "KubernetesVersionUnsupported",
        `Kubernetes ${minor} is not supported by ${without.map(({ operator }) => operator).join(" nor by ")}`,
        `bring Kubernetes to one of ${first.kubernetes.supported.join(", ")}, or choose another release`,
      );
    }
    if (kubernetesSupport(to, minor) !== "deprecated") return undefined;
    return warn(
      "KubernetesVersionDeprecated",
      `Kubernetes ${minor} is deprecated for ${to.operator}`,
      `plan to bring Kubernetes to one of ${to.kubernetes.supported.join(", ")}`,
    );
  },
};
