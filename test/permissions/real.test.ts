import { onRealServer } from "../api-servers/test-server.ts";
import { permissionSuite } from "./suite.ts";

// as on OpenShift: making an owned object needs a right over its owner
await onRealServer(permissionSuite, "--enable-admission-plugins=OwnerReferencesPermissionEnforcement");
