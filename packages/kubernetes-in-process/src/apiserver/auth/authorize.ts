import { qualifiedResource, apiErrors, apiError } from "../faults.ts";
import type { Store } from "../store/store.ts";
import { isAllowed, denialMessage, type RequestAttributes, type ResourceAttributes } from "./rbac.ts";
import type { User } from "./user.ts";

/** One request as an audit records it: the user, what the user asked for, and whether a rule allows it. */
export interface AuditEntry {
  readonly user: string;
  readonly action: RequestAttributes;
  readonly allowed: boolean;
}

/** What authorization reads, and where it reports each decision. */
export interface AccessControl {
  readonly store: Store;
  readonly audit: ((entry: AuditEntry) => void) | undefined;
}

/** Lets a request to a resource, or to a path that is none, go on; 403 when no rule allows it. */
export function authorize(
  { store, audit }: AccessControl,
  user: User,
  asked: Omit<ResourceAttributes, "kind"> | { readonly method: string; readonly path: string },
): void {
  const action: RequestAttributes =
    "plural" in asked
      ? { kind: "resource", ...asked }
      : { kind: "path", verb: asked.method.toLowerCase(), path: asked.path };
  const allowed = isAllowed(store, user, action);
  audit?.({ user: user.name, action, allowed });
  if (allowed) return;
  const why = denialMessage(user, action);
  if (action.kind === "path") throw apiError(apiErrors.forbidden, `forbidden: ${why}`);
  const { group, plural, name } = action;
  const about = `${qualifiedResource({ group, plural })}${name === undefined ? "" : ` ${JSON.stringify(name)}`}`;
  throw apiError(apiErrors.forbidden, `${about} is forbidden: ${why}`, {
    ...(name === undefined ? {} : { name }),
    group,
    kind: plural,
  });
}
