import { AsyncLocalStorage } from "node:async_hooks";
import { mayManage, rolesWith } from "../../../../core/api/management-roles.ts";
import type { ManagementPermission, ManagementRole } from "../../../../core/api/management-roles.ts";
import type { ClusterUser } from "../../../../core/api/records.ts";
import { messageOf } from "#kit/base/fault";
import type { Records } from "../../records/records.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** A user by what no other one ever has: another password is another Secret, so a login that has ended names nothing any more. */
export type UserMark = Pick<ClusterUser, "uid" | "secret">;

/** For whom a request runs, and what it takes. */
export interface Acting {
  readonly user: UserMark;
  readonly permission: ManagementPermission;
}

const requests = new AsyncLocalStorage<Acting | undefined>();

/** Runs a request for a user, or for the cluster itself: everything that it does knows for whom. */
export function actFor<T>(acting: Acting | undefined, run: () => Promise<T>): Promise<T> {
  return requests.run(acting, run);
}

/** The user for whom the present request runs; undefined for the cluster itself. */
export function actingUser(): UserMark | undefined {
  return requests.getStore()?.user;
}

/**
 * The role that the caller of the present request has by these users, `admin` for the cluster itself. AGENT_UNAUTHORIZED when the
 * user is gone or has another password, AGENT_FORBIDDEN when its role does not allow the request any more.
 */
function actingRole(users: readonly ClusterUser[]): ManagementRole {
  const acting = requests.getStore();
  if (acting === undefined) return "admin";
  const user = userOf(users, acting.user);
  if (user === undefined)
    throw refuse(refusals.unauthorized, "the user who asked was removed, or got another password, meanwhile");
  if (rolesWith(acting.permission).includes(user.role)) return user.role;
  const why = `${user.email} has the role ${user.role} now, which does not have the permission ${acting.permission}`;
  throw refuse(refusals.forbidden, why);
}

/** A user who is there, and the role that it gets. */
interface ManagedUser {
  readonly user?: Pick<ClusterUser, "role"> | undefined;
  readonly wanted?: ManagementRole | undefined;
}

/** AGENT_FORBIDDEN when, by these users, the caller of the present request may not give the role `wanted`, or touch `user`. */
export function requireMayManage(users: readonly ClusterUser[], { user, wanted }: ManagedUser): void {
  const caller = actingRole(users);
  const beyond = [user?.role, wanted].find((role) => role !== undefined && !mayManage(caller, role));
  if (beyond === undefined) return;
  throw refuse(refusals.forbidden, `the role ${caller} cannot manage users of the role ${beyond}; the role admin can`);
}

/** The user of a mark; undefined when there is none any more. */
export function userOf(users: readonly ClusterUser[], mark: UserMark): ClusterUser | undefined {
  return users.find(({ uid, secret }) => uid === mark.uid && secret === mark.secret);
}

type WrittenRecords = Pick<Records, "state" | "reload" | "changeState" | "changeDatabase" | "createDatabase">;

/**
 * The records for the changes of requests: a change is made only while the user who asked for it may still do so. The record of the
 * cluster, which lists the users, is looked at inside its compare-and-swap; before that of a database it is read from the API server.
 */
export function withRights<Kept extends WrittenRecords>(records: Kept): Kept {
  const users = (): readonly ClusterUser[] => records.state()?.users ?? [];
  return {
    ...records,
    changeState: (change) =>
      records.changeState((state) => {
        actingRole(state.users ?? []);
        return change(state);
      }),
    changeDatabase: async (uid, change) => {
      await requireCurrentRights(records);
      return records.changeDatabase(uid, (record) => {
        actingRole(users());
        return change(record);
      });
    },
    createDatabase: async (record) => {
      await requireCurrentRights(records);
      await records.createDatabase(record);
    },
  };
}

/** Refuses a user who may not do this by the users that the API server has now. AGENT_STALE when that cannot be read. */
export async function requireCurrentRights(records: Pick<Records, "state" | "reload">): Promise<void> {
  if (actingUser() === undefined) return;
  try {
    await records.reload("cluster");
  } catch (error) {
    const why = `whether the user may still do this cannot be read from the Kubernetes API: ${messageOf(error)}`;
    throw refuse(refusals.stale, why);
  }
  actingRole(records.state()?.users ?? []);
}
