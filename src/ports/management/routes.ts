import { accessRoutes } from "./routes/access.ts";
import { clusterRoutes } from "./routes/cluster.ts";
import { databaseRoutes } from "./routes/databases.ts";
import { documentRoutes } from "./routes/documents.ts";
import { endpointRoutes } from "./routes/endpoints.ts";
import { localRoutes } from "./routes/local.ts";
import { moduleRoutes } from "./routes/modules.ts";
import { statsRoutes } from "./routes/stats.ts";
import { userRoutes } from "./routes/users.ts";

/** The management API (§4.2): server, client, its OpenAPI document and docs derive from this table. */
export const routes = {
  ...clusterRoutes,
  ...databaseRoutes,
  ...endpointRoutes,
  ...moduleRoutes,
  ...userRoutes,
  ...accessRoutes,
  ...statsRoutes,
  ...documentRoutes,
  ...localRoutes,
} as const;

export type RouteName = keyof typeof routes;

type TypesOf<N extends RouteName> = NonNullable<(typeof routes)[N]["types"]>;
export type ParamsOf<N extends RouteName> = TypesOf<N>["params"];
export type BodyOf<N extends RouteName> = TypesOf<N>["body"];
export type ReplyOf<N extends RouteName> = TypesOf<N>["reply"];

/** What a caller of the route gives: `params` where the path has some, `body` where one is read. */
export type RequestOf<N extends RouteName> = (keyof ParamsOf<N> extends never
  ? { readonly params?: undefined }
  : { readonly params: ParamsOf<N> }) &
  (BodyOf<N> extends undefined ? { readonly body?: undefined } : { readonly body: BodyOf<N> });
