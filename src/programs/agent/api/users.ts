import { mayManage, type ManagementRole } from "../../../core/api/management-roles.ts";
import type { ClusterUser } from "../../../core/api/records.ts";
import type { UserChange, UserCreate, UserRecord } from "../../../ports/management/records.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { hashPassword } from "./password-hash.ts";
import { refusals, refuse } from "./refusals.ts";

/** uid of the cluster's own administrator. */
const ADMIN_UID = 1;
const MOST_USERS = 1_000;

/** Every user, the cluster's own administrator first. */
export function listUsers(view: ClusterView, adminName: string): readonly UserRecord[] {
  const admin: UserRecord = { uid: ADMIN_UID, email: adminName, name: adminName, role: "admin" };
  return [admin, ...usersOf(view).map(shown)];
}

/** The user of this uid; AGENT_NO_SUCH_USER when there is none. */
export function getUser(view: ClusterView, adminName: string, uid: string): UserRecord {
  const found = listUsers(view, adminName).find((user) => String(user.uid) === uid);
  if (found === undefined) throw refuse(refusals.noSuchUser, `there is no user ${uid}`);
  return found;
}

/** AGENT_FORBIDDEN when a caller of this role may not give `wanted`, or touch the user of this uid. */
export function requireMayManage(
  caller: ManagementRole,
  { user, wanted }: { readonly user?: UserRecord; readonly wanted?: ManagementRole | undefined },
): void {
  const beyond = [user?.role, wanted].find((role) => role !== undefined && !mayManage(caller, role));
  if (beyond === undefined) return;
  throw refuse(refusals.forbidden, `the role ${caller} cannot manage users of the role ${beyond}; the role admin can`);
}

/** Lets somebody in; AGENT_EMAIL_TAKEN when somebody has the address already. */
export async function createUser(view: ClusterView, adminName: string, body: UserCreate): Promise<UserRecord> {
  const { email, password, role, name = email } = body;
  requireFree(listUsers(view, adminName), email);
  const secret = await view.userPasswords.keep(await hashPassword(password));
  return orTakenBack(view, secret, async () => {
    let uid = ADMIN_UID;
    await view.records.changeState((old) => {
      const users = old.users ?? [];
      requireFree(users, email);
      if (users.length >= MOST_USERS) throw refuse(refusals.tooManyUsers, `there are ${users.length} users already`);
      uid = Math.max(ADMIN_UID, ...users.map((user) => user.uid)) + 1;
      return { ...old, users: [...users, { uid, email, name, role, secret }] };
    });
    return { uid, email, name, role };
  });
}

/** Changes a user. A new password is another Secret, so that every node knows of it when it knows of the change. */
export async function updateUser(view: ClusterView, uid: number, body: UserChange): Promise<UserRecord> {
  requireNotAdmin(uid);
  const { password, ...rest } = body;
  if (password === undefined) {
    const before = await swap(view, uid, (user) => ({ ...user, ...rest }));
    return shown({ ...before, ...rest });
  }
  const secret = await view.userPasswords.keep(await hashPassword(password));
  return orTakenBack(view, secret, async () => {
    const before = await swap(view, uid, (user) => ({ ...user, ...rest, secret }));
    await view.userPasswords.remove(before.secret);
    return shown({ ...before, ...rest });
  });
}

/** Lets somebody in no more; AGENT_CLUSTER_ADMIN for the cluster's own administrator. */
export async function deleteUser(view: ClusterView, uid: number): Promise<UserRecord> {
  requireNotAdmin(uid);
  const before = await swap(view, uid, () => undefined);
  await view.userPasswords.remove(before.secret);
  return shown(before);
}

/** Puts what `change` makes of a user in its place, nothing when it makes nothing; the answer is who was there before. */
async function swap(
  view: ClusterView,
  uid: number,
  change: (user: ClusterUser) => ClusterUser | undefined,
): Promise<ClusterUser> {
  let before: ClusterUser | undefined;
  await view.records.changeState((old) => {
    const users = old.users ?? [];
    before = users.find((user) => user.uid === uid);
    if (before === undefined) return old;
    const now = change(before);
    return { ...old, users: users.flatMap((user) => (user.uid === uid ? (now ?? []) : user)) };
  });
  if (before === undefined) throw refuse(refusals.noSuchUser, `there is no user ${uid}`);
  return before;
}

/** A Secret that no user names is of no use. */
async function orTakenBack<T>(view: ClusterView, secret: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const named = usersOf(view).some((user) => user.secret === secret);
    if (!named) await view.userPasswords.remove(secret);
    throw error;
  }
}

function requireFree(users: readonly Pick<ClusterUser, "email">[], email: string): void {
  const taken = users.some((user) => user.email.toLowerCase() === email.toLowerCase());
  if (taken) throw refuse(refusals.emailTaken, `somebody logs in as ${email} already`);
}

function requireNotAdmin(uid: number): void {
  if (uid !== ADMIN_UID) return;
  throw refuse(refusals.clusterAdmin, "user 1 is the cluster's own administrator, made from its Secret");
}

function usersOf(view: ClusterView): readonly ClusterUser[] {
  return view.records.state()?.users ?? [];
}

function shown({ uid, email, name, role }: ClusterUser): UserRecord {
  return { uid, email, name, role };
}
