import type { ModuleRepository } from "../modules/module-repository.ts";
import { dataCases } from "./data-cases.ts";
import { environmentCases } from "./environment-cases.ts";
import { specCases } from "./spec-cases.ts";

/** Name of a cause that freezes an upgrade. */
export type CaseName = keyof ReturnType<typeof frozenCases>;

/** The cases of a frozen cluster upgrade; those with modules find them in `modules`. */
export function frozenCases(modules: ModuleRepository) {
  return { ...dataCases(modules), ...specCases(modules), ...environmentCases() };
}
