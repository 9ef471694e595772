import { describeObject, editObject } from "../../api/kubectl.ts";
import { listedModules, moduleStatusOf } from "../modules/user-modules.ts";
import { block, warn } from "../findings/finding.ts";
import type { Check } from "./check.ts";

/**
 * §4.3 rule 6, §7: each listed module is fetched, checked against its name, and on every node before nodes are replaced. A list takes effect at
 * once, so that a module that cannot be installed is reported at any time, and stops a step to another release.
 */
export const userModulesAreInstalled: Check = {
  id: "UserModuleInvalid",
  asks: "every user-defined module was fetched, has the name that is listed, and is installed",
  at: ["start"],
  needs: [],
  find({ view: { name, spec, remembered }, step }) {
    const modules = listedModules(spec).map((module) => ({
      name: module.name,
      known: moduleStatusOf(module, remembered.userModules ?? []),
    }));
    const failed = modules.flatMap(({ name: listed, known }) =>
      known?.state === "Failed" ? [`module "${listed}": ${known.message}`] : [],
    );
    const edit = (then: string): string => editObject(`rec ${name}`, `spec.userDefinedModules; ${then}`);
    if (failed.length > 0)
      return step === undefined
        ? warn("UserModuleInvalid", failed.join("; "), edit("a module that can be installed is, at once"))
        : block("UserModuleInvalid", failed.join("; "), edit("the upgrade continues once the module can be installed"));
    const awaited = modules.find(({ known }) => known?.state !== "Installed");
    if (step === undefined || awaited === undefined) return undefined;
    const text = awaited.known === undefined || awaited.known.message === "" ? "" : `; ${awaited.known.message}`;
    const evidence = `module "${awaited.name}" is being fetched${text}`;
    return block("UserModuleFetching", evidence, describeObject(`rec ${name}`));
  },
};
