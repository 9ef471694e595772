import type { Access } from "../../../core/releases/permissions/person-grants.ts";
import { isFault } from "#kit/base/fault";
import { RoleBindings, Roles } from "#kit/kube/builtin";
import { faults as kubeFaults } from "#kit/kube/faults";
import { manifestObjects, type ManifestObject } from "#kit/kube/manifest";
import { lackingRight, missingRights, type RightsPlace } from "./rights.ts";

/**
 * What the caller lacks to apply a bundle: each object as it is there or not, and what its Roles grant, which a dry run asks the API server.
 */
export async function missingForManifest(place: RightsPlace, text: string): Promise<readonly Access[]> {
  const objects = manifestObjects(text, place.namespace);
  const missing = await Promise.all(objects.map((one) => missingFor(place, one)));
  return missing.flat();
}

async function missingFor(place: RightsPlace, one: ManifestObject): Promise<readonly Access[]> {
  const { type, object } = one;
  const { name, namespace } = object.metadata;
  const what = { group: type.group, resource: type.plural, ...(type.namespaced && { namespace }) };
  const patch: Access = { verb: "patch", name, ...what };
  const isThere = await exists(place, one);
  const missing = await missingRights(place.kube, isThere ? [patch] : [patch, { verb: "create", ...what }]);
  return missing.length > 0 ? missing : grantsOf(place, one);
}

/** An object that may not be looked at is taken to be there: the bundle was applied before. */
async function exists({ kube }: RightsPlace, { type, object }: ManifestObject): Promise<boolean> {
  try {
    return (await kube.get(type, object.metadata)) !== undefined;
  } catch (error) {
    if (lackingRight(error) === undefined) throw error;
    return true;
  }
}

/** No account grants more than it has, but by the verbs `escalate` and `bind`. */
async function grantsOf({ kube }: RightsPlace, { type, object }: ManifestObject): Promise<readonly Access[]> {
  const isBinding = type === RoleBindings;
  if (!isBinding && type !== Roles) return [];
  try {
    await kube.apply(type, object, { fieldManager: "storectl", force: true, dryRun: true });
    return [];
  } catch (error) {
    // the Role of a binding, which is applied before it, may not be there yet
    if (isFault(error, kubeFaults.notFound)) return [];
    if (!isFault(error, kubeFaults.forbidden)) throw error;
    const { name, namespace } = object.metadata;
    return [{ verb: isBinding ? "bind" : "escalate", group: Roles.group, resource: Roles.plural, name, namespace }];
  }
}
