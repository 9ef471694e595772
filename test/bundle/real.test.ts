import { onRealServer } from "../api-servers/test-server.ts";
import { bundleSuite } from "./suite.ts";

await onRealServer(bundleSuite);
