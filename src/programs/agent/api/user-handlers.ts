import { uidParam } from "./handler-call.ts";
import type { Handlers } from "./handler-call.ts";
import { runOnLeader } from "./run-on-leader.ts";
import type { LeaderContext } from "./run-on-leader.ts";
import { createUser, deleteUser, getUser, listUsers, requireMayManage, updateUser } from "./users.ts";
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
    createUser: async ({ body, role, forwardedBy }) => {
      requireMayManage(role, { wanted: body.role });
      return runOnLeader(context, "createUser", { body }, forwardedBy, () => createUser(context, adminName(), body));
    },
    updateUser: async ({ params, body, role, forwardedBy }) => {
      const user = getUser(context, adminName(), params.uid ?? "");
      requireMayManage(role, { user, wanted: body.role });
      return runOnLeader(context, "updateUser", { params: uidParam(params), body }, forwardedBy, () =>
        updateUser(context, user.uid, body),
      );
    },
    deleteUser: async ({ params, role, forwardedBy }) => {
      const user = getUser(context, adminName(), params.uid ?? "");
      requireMayManage(role, { user });
      return runOnLeader(context, "deleteUser", { params: uidParam(params) }, forwardedBy, () =>
        deleteUser(context, user.uid),
      );
    },
  };
}
