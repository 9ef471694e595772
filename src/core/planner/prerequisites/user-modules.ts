import { describeObject, editObject } from "../../api/kubectl.ts";
import { listedModules, moduleStatusOf } from "../modules/user-modules.ts";
import { block } from "../findings/finding.ts";
import type { Check } from "./check.ts";

/** §4.3 rule 6, §7: what is listed is fetched, found to be what its name says, and on every node before nodes are replaced. */
export const userModulesAreInstalled: Check = {
  id: "UserModuleInvalid",
  asks: "every user-defined module was fetched, has the name that is listed, and is installed",
  at: ["start"],
  needs: ["cluster"],
  find({ view: { name, spec, remembered }, step }) {
    if (step === undefined) return undefined;
    for (const module of listedModules(spec)) {
      const known = moduleStatusOf(module, remembered.userModules ?? []);
      if (known === undefined || known.state === "Installing") {
        const text = known === undefined || known.message === "" ? "" : `; ${known.message}`;
        const evidence = `module "${module.name}" is being fetched${text}`;
        return block("UserModuleFetching", evidence, describeObject(`rec ${name}`));
      }
      if (known.state === "Failed") {
        return block(
          "UserModuleInvalid",
          `module "${module.name}": ${known.message}`,
          editObject(`rec ${name}`, "spec.userDefinedModules; the upgrade continues once the module can be installed"),
        );
      }
    }
    return undefined;
  },
};
