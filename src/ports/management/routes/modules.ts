import { z } from "zod";
import { MODULE, MODULE_UPLOADED } from "../records/modules.ts";
import type { ModuleUpload } from "../records/modules.ts";
import { archive, route } from "../route.ts";

/** Modules of the cluster. */
export const moduleRoutes = {
  modules: route("GET", "/v1/modules", "view_cluster_modules", "installed modules", z.array(MODULE)),
  module: route("GET", "/v1/modules/:uid", "view_cluster_modules", "one module", MODULE),
  uploadModule: route(
    "POST",
    "/v2/modules",
    "update_cluster",
    "installs a module: a form with the archive in the file field `module`",
    MODULE_UPLOADED,
    archive<ModuleUpload>(),
  ),
  deleteModule: route(
    "DELETE",
    "/v2/modules/:uid",
    "update_cluster",
    "removes an installed module that no database uses",
    MODULE,
  ),
} as const;
