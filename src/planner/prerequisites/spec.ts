import { block, type Check } from "./check.ts";

/** One objection at most, whose remedy satisfies all that is asked of the number: odd, at least 3, never lowered. */
export const nodeNumberIsRight: Check = {
  id: "SpecInvalid",
  asks: "the number of nodes is odd, at least 3 and never lowered",
  at: ["spec"],
  needs: [],
  find({ view: { name, spec, workload } }) {
    const has = workload?.replicas ?? 0;
    const invalid = (evidence: string, nodes: number) =>
      block("SpecInvalid", evidence, `kubectl patch rec ${name} --type merge -p '{"spec":{"nodes":${nodes}}}'`);
    if (spec.nodes < has) {
      return invalid(`spec.nodes is ${spec.nodes} and the cluster has ${has}: nodes are not removed`, has);
    }
    if (spec.nodes < 3) return invalid(`spec.nodes is ${spec.nodes}: at least 3 are needed to lose one`, 3);
    if (spec.nodes % 2 === 1) return undefined;
    return invalid(`spec.nodes is ${spec.nodes}: an even number of nodes has no majority`, spec.nodes + 1);
  },
};

/** `license` and `licenseSecretName` are two ways to say one thing. */
export const licenseIsNamedOnce: Check = {
  id: "SpecInvalid",
  asks: "the licence is named in one place",
  at: ["spec"],
  needs: [],
  find({ view: { name, spec } }) {
    if ((spec.license ?? "") === "" || spec.licenseSecretName === undefined) return undefined;
    return block(
      "SpecInvalid",
      `spec.license and spec.licenseSecretName ("${spec.licenseSecretName}") are both set`,
      `kubectl patch rec ${name} --type merge -p '{"spec":{"license":null}}'`,
    );
  },
};
