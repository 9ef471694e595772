/** The entry of the package: everything else in it is internal, but for `testing`. */
export { startWorld, type World } from "./start.ts";
export type { WorldOptions } from "./options.ts";
export type { Image, ImageStore } from "../kubelet/container/images.ts";
/** The API server and the controllers also work alone, for tests that need no pods. */
export { startApiServer, type ApiServer, type ApiServerOptions, type AuditEntry } from "../apiserver/server.ts";
export { runControllers } from "../controllers/run-controllers.ts";
