import { requireMayManage } from "./acting-user.ts";
import { uidParam } from "../http/handler-call.ts";
import type { Handlers } from "../http/handler-call.ts";
import { runOnLeader } from "../http/run-on-leader.ts";
import type { LeaderContext } from "../http/run-on-leader.ts";
import { createUser, deleteUser, getUser, listUsers, updateUser, usersOf } from "./users.ts";
import type { UsersContext } from "./users.ts";

type UserRoutes = "users" | "user" | "createUser" | "updateUser" | "deleteUser";

/** Users; `adminName` is the name of the cluster's own administrator, as its Secret has it now. */
export function userHandlers(
  context: UsersContext & LeaderContext,
  adminName: () => string,
): Pick<Handlers, UserRoutes> {
  return {
    users: async () => listUsers(context, adminName()),
    user: async ({ params }) => getUser(context, adminName(), params.uid ?? ""),
    createUser: async ({ body, forwardedBy }) => {
      requireMayManage(usersOf(context), { wanted: body.role });
      return runOnLeader(context, "createUser", { body }, forwardedBy, () => createUser(context, adminName(), body));
    },
    updateUser: async ({ params, body, forwardedBy }) => {
      const user = getUser(context, adminName(), params.uid ?? "");
      requireMayManage(usersOf(context), { user, wanted: body.role });
      return runOnLeader(context, "updateUser", { params: uidParam(params), body }, forwardedBy, () =>
        updateUser(context, user.uid, body),
      );
    },
    deleteUser: async ({ params, forwardedBy }) => {
      const user = getUser(context, adminName(), params.uid ?? "");
      requireMayManage(usersOf(context), { user });
      return runOnLeader(context, "deleteUser", { params: uidParam(params) }, forwardedBy, () =>
        deleteUser(context, user.uid),
      );
    },
  };
}
