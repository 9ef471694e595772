import { onRealServer } from "../api-servers/test-server.ts";
import { peopleSuite } from "./people.ts";
import { permissionSuite } from "./suite.ts";

// as on OpenShift: making an owned object needs a right over its owner
await onRealServer(async (server) => {
  await permissionSuite(server);
  await peopleSuite(server);
}, "--enable-admission-plugins=OwnerReferencesPermissionEnforcement");
