import { Fault, isFault } from "#kit/base/fault";
import type { EditResult, WrittenSpec } from "../../../core/planner/active-active/edits.ts";
import { faults as kubeFaults } from "#kit/kube/faults";
import { ActiveActiveDatabases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { readNamespaceObjects, type NamespaceObjects } from "../../../mechanisms/observe/kubernetes/references.ts";
import type { Asking } from "../console/context.ts";
import { faults } from "../faults.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { requireChange } from "./rights.ts";
import { ownRight } from "../access/look-rights.ts";
import { acceptable, requireAccepted } from "./acceptable.ts";

type Edit = (
  spec: WrittenSpec,
  objects: NamespaceObjects,
) => EditResult<WrittenSpec> | Promise<EditResult<WrittenSpec>>;

/** Reads, edits and writes the object; once more when the operator or another user has written it meanwhile. CLI_REFUSED, and CLI_NO_ACTIVE_ACTIVE. */
export async function changeActiveActive(
  access: NamespaceAccess,
  name: string,
  context: Asking,
  edit: Edit,
): Promise<void> {
  const { kube, namespace } = access;
  await requireChange(access, ownRight("update", "activeActive", name, namespace));
  for (;;) {
    const objects = await readNamespaceObjects(kube, namespace);
    const stored = objects.activeActives.find(({ metadata }) => metadata.name === name);
    if (stored === undefined) {
      const names = objects.activeActives.map(({ metadata }) => metadata.name).join(", ") || "none";
      throw new Fault(
        faults.noActiveActive,
        `namespace ${namespace} has no StoreEnterpriseActiveActiveDatabase "${name}"; there are: ${names}`,
      );
    }
    const before: WrittenSpec = { ...stored.spec };
    const spec = acceptable(
      objects,
      { name, namespace, spec: requireAccepted(await edit(before, objects)), before },
      context,
    );
    try {
      await kube.update(ActiveActiveDatabases, { ...stored, spec });
      return;
    } catch (error) {
      if (!isFault(error, kubeFaults.conflict)) throw error;
    }
  }
}
