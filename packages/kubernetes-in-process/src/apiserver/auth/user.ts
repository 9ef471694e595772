/** Who makes a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

export const ADMINISTRATORS = "system:masters";
export const AUTHENTICATED = "system:authenticated";
export const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The user that a service account acts as. */
export function serviceAccountUser(namespace: string, name: string, uid: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, AUTHENTICATED],
  };
}
