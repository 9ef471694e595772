import type { ManagementRole } from "../../../../core/api/management-roles.ts";
import type { ClusterUser } from "../../../../core/api/records.ts";
import type { UserChange, UserCreate, UserRecord } from "../../../../ports/management/records.ts";
import type { Clock } from "#kit/base/clock";
import type { Counter } from "../../credentials/numbered-secrets.ts";
import { hashPassword } from "../../credentials/password-hash.ts";
import type { UserPasswords } from "../../credentials/user-passwords.ts";
import type { Records } from "../../records/records.ts";
import { requireMayManage } from "./acting-user.ts";
import { roleUid } from "./access.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { refuseWithoutSecret, whenSecretIsThere } from "../databases/when-secret-is-there.ts";

/** uid of the cluster's own administrator. */
const ADMIN_UID = 1;
const MOST_USERS = 1_000;

/** What the changes of users work on. */
export interface UsersContext {
  readonly records: Pick<Records, "state" | "changeState">;
  readonly userPasswords: Pick<UserPasswords, "free" | "keep" | "remove">;
  readonly clock: Clock;
}

/** Every user, the cluster's own administrator first. */
export function listUsers(context: UsersContext, adminName: string): readonly UserRecord[] {
  const admin: UserRecord = {
    uid: ADMIN_UID,
    email: adminName,
    name: adminName,
    role: "admin",
    role_uids: [roleUid("admin")],
  };
  return [admin, ...usersOf(context).map(userRecord)];
}

/** The user of this uid; AGENT_NO_SUCH_USER when there is none. */
export function getUser(context: UsersContext, adminName: string, uid: string): UserRecord {
  const found = listUsers(context, adminName).find((user) => String(user.uid) === uid);
  if (found === undefined) throw refuse(refusals.noSuchUser, `there is no user ${uid}`);
  return found;
}

/** Adds a user; AGENT_EMAIL_TAKEN when another user has the address. All is checked before the Secret, and again where it is written. */
export async function createUser(context: UsersContext, adminName: string, body: UserCreate): Promise<UserRecord> {
  const { email, password, role, name = email } = body;
  requireFree(listUsers(context, adminName), email);
  requireAddable(usersOf(context), body);
  const secret = await keepPassword(context, password);
  return orRemoveSecret(context, secret, async () => {
    let uid = ADMIN_UID;
    await context.records.changeState((old) => {
      const users = old.users ?? [];
      requireAddable(users, body);
      uid = Math.max(old.nextUser ?? 0, ADMIN_UID + 1, ...users.map((user) => user.uid + 1));
      return { ...old, nextUser: uid + 1, users: [...users, { uid, email, name, role, secret }] };
    });
    return { uid, email, name, role, role_uids: [roleUid(role)] };
  });
}

/** Changes a user. A new password is another Secret: a node that reads the changed record reads the new password too. */
export async function updateUser(context: UsersContext, uid: number, body: UserChange): Promise<UserRecord> {
  requireNotAdmin(uid);
  const { password, ...rest } = body;
  if (password === undefined) {
    const before = await swap(context, uid, rest.role, (user) => ({ ...user, ...rest }));
    return userRecord({ ...before, ...rest });
  }
  requireChangeable(usersOf(context), uid, rest.role);
  const secret = await keepPassword(context, password);
  return orRemoveSecret(context, secret, async () => {
    const before = await swap(context, uid, rest.role, (user) => ({ ...user, ...rest, secret }));
    await context.userPasswords.remove(before.secret);
    return userRecord({ ...before, ...rest });
  });
}

/** Removes a user; AGENT_CLUSTER_ADMIN for the cluster's own administrator. */
export async function deleteUser(context: UsersContext, uid: number): Promise<UserRecord> {
  requireNotAdmin(uid);
  const before = await swap(context, uid, undefined, () => undefined);
  await context.userPasswords.remove(before.secret);
  return userRecord(before);
}

/** In a Secret whose number was never used: nodes remember what they read in a Secret by its name. */
async function keepPassword({ records, userPasswords, clock }: UsersContext, password: string): Promise<string> {
  const hash = await hashPassword(password);
  const counter = userCounter(records);
  return whenSecretIsThere(
    clock,
    () => userPasswords.free.isReady(counter),
    async () => {
      const free = (await userPasswords.free.take(counter)) ?? refuseWithoutSecret("user");
      if (!(await userPasswords.keep(hash, free))) refuseWithoutSecret("user");
      return free.name;
    },
  );
}

function userCounter(records: UsersContext["records"]): Counter {
  return {
    next: () => records.state()?.nextUserSecret ?? 1,
    async use(number) {
      let isFree = false;
      await records.changeState((state) => {
        isFree = (state.nextUserSecret ?? 1) <= number;
        return isFree ? { ...state, nextUserSecret: number + 1 } : state;
      });
      return isFree;
    },
  };
}

/**
 * Replaces a user by what `change` makes of it, and removes it when that is undefined; the answer is the user before. Whether the caller
 * may touch the user as it is now, and give it the role `wanted`, is looked at inside the compare-and-swap.
 */
async function swap(
  context: UsersContext,
  uid: number,
  wanted: ManagementRole | undefined,
  change: (user: ClusterUser) => ClusterUser | undefined,
): Promise<ClusterUser> {
  let before: ClusterUser | undefined;
  await context.records.changeState((old) => {
    const users = old.users ?? [];
    before = requireChangeable(users, uid, wanted);
    const now = change(before);
    const nextUser = Math.max(old.nextUser ?? 0, ...users.map((user) => user.uid + 1));
    return { ...old, nextUser, users: users.flatMap((user) => (user.uid === uid ? (now ?? []) : user)) };
  });
  return before ?? requireChangeable([], uid, wanted);
}

/** The user as it is; refused when there is none, or the caller may not touch it or give it the role `wanted`. */
function requireChangeable(
  users: readonly ClusterUser[],
  uid: number,
  wanted: ManagementRole | undefined,
): ClusterUser {
  const user = users.find((one) => one.uid === uid);
  if (user === undefined) throw refuse(refusals.noSuchUser, `there is no user ${uid}`);
  requireMayManage(users, { user, wanted });
  return user;
}

function requireAddable(users: readonly ClusterUser[], { email, role }: Pick<UserCreate, "email" | "role">): void {
  requireMayManage(users, { wanted: role });
  requireFree(users, email);
  if (users.length >= MOST_USERS) throw refuse(refusals.tooManyUsers, `there are ${users.length} users already`);
}

/** Runs `act`; when it fails, removes a Secret that no user names. */
async function orRemoveSecret<T>(context: UsersContext, secret: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const named = usersOf(context).some((user) => user.secret === secret);
    if (!named) await context.userPasswords.remove(secret);
    throw error;
  }
}

function requireFree(users: readonly Pick<ClusterUser, "email">[], email: string): void {
  const isTaken = users.some((user) => user.email.toLowerCase() === email.toLowerCase());
  if (isTaken) throw refuse(refusals.emailTaken, `another user has the address ${email}`);
}

function requireNotAdmin(uid: number): void {
  if (uid !== ADMIN_UID) return;
  throw refuse(refusals.clusterAdmin, "user 1 is the cluster's own administrator, made from its Secret");
}

/** The users of the cluster as this node knows them. */
export function usersOf(context: UsersContext): readonly ClusterUser[] {
  return context.records.state()?.users ?? [];
}

function userRecord({ uid, email, name, role }: ClusterUser): UserRecord {
  return { uid, email, name, role, role_uids: [roleUid(role)] };
}
