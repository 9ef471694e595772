import { block, type Check } from "./check.ts";

/** Product facts §6.2: 8.0.2 cannot take them at all. */
export const userModulesAreSupported: Check = {
  id: "UserModulesUnsupported",
  asks: "the release takes user-defined modules, if any are listed",
  at: ["start"],
  needs: [],
  find({ view: { spec }, step }) {
    const modules = spec.userDefinedModules ?? [];
    if (modules.length === 0 || step?.to.userModules !== "unsupported") return undefined;
    return block(
      "UserModulesUnsupported",
      `${step.to.operator} cannot take user-defined modules (${modules.map(({ name }) => name).join(", ")})`,
      "skip this release: upgrade the operator to 8.0.6-8 or later",
    );
  },
};
