import { qualified, refusals, refuse } from "../faults.ts";
import type { Target } from "../http/target.ts";
import type { World } from "../world.ts";
import { isAllowed, refusalOf, type Action } from "./rbac.ts";
import type { User } from "./user.ts";

/** Lets a request to a resource, or to a path that is none, go on; 403 when no rule allows it. */
export function authorize(
  world: World,
  user: User,
  asked: Target | { readonly method: string; readonly path: string },
): void {
  const action: Action =
    "plural" in asked
      ? { kind: "resource", ...asked }
      : { kind: "path", verb: asked.method.toLowerCase(), path: asked.path };
  const allowed = isAllowed(world.store, user, action);
  world.audit?.({ user: user.name, action, allowed });
  if (allowed) return;
  const why = refusalOf(user, action);
  if (action.kind === "path") throw refuse(refusals.forbidden, `forbidden: ${why}`);
  const { group, plural, name } = action;
  const about = `${qualified({ group, plural })}${name === undefined ? "" : ` ${JSON.stringify(name)}`}`;
  throw refuse(refusals.forbidden, `${about} is forbidden: ${why}`, {
    ...(name === undefined ? {} : { name }),
    group,
    kind: plural,
  });
}
