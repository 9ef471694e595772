import { NODE_PERMISSIONS } from "./node.ts";
import { OPERATOR_ON_KUBERNETES } from "./operator.ts";
import { OPERATOR_ON_OWN_KINDS } from "./own-kinds.ts";
import type { Permission, Permitted, Program } from "./permission.ts";
import { RIGGER_PERMISSIONS } from "./rigger.ts";

/** Where each fact about permissions is: Roles, the preflight check and docs/permissions.md are made from this table. */
export const PERMISSIONS: readonly Permission[] = [
  ...heldBy("operator", [...OPERATOR_ON_OWN_KINDS, ...OPERATOR_ON_KUBERNETES]),
  ...heldBy("node", NODE_PERMISSIONS),
  ...heldBy("rigger", RIGGER_PERMISSIONS),
];

function heldBy(who: Program, rows: readonly Permitted[]): readonly Permission[] {
  return rows.map((row) => ({ who, ...row }));
}
