import { startEmbeddedServer } from "../api-servers/test-server.ts";
import { bundleSuite } from "./suite.ts";

await using server = await startEmbeddedServer();
await bundleSuite(server);
