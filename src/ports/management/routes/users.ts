import { z } from "zod";
import { USER } from "../records/users.ts";
import type { UserChange, UserCreate } from "../records/users.ts";
import { json, route } from "../route.ts";

/** Users of the management API. */
export const userRoutes = {
  users: route("GET", "/v1/users", "view_all_users_info", "every user", z.array(USER)),
  user: route("GET", "/v1/users/:uid", "view_all_users_info", "one user", USER),
  createUser: route(
    "POST",
    "/v1/users",
    "create_user",
    "adds a user with credentials and a role",
    USER,
    json<UserCreate>(),
  ),
  updateUser: route(
    "PUT",
    "/v1/users/:uid",
    "update_user",
    "changes name, role or password; it counts on each node once the node has the changed record",
    USER,
    json<UserChange>(),
  ),
  deleteUser: route(
    "DELETE",
    "/v1/users/:uid",
    "delete_user",
    "removes a user; its credentials are refused from then on",
    USER,
  ),
} as const;
