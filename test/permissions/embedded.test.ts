import { startEmbeddedServer } from "../api-servers/test-server.ts";
import { peopleSuite } from "./people.ts";
import { permissionSuite } from "./suite.ts";

await using server = await startEmbeddedServer();
await permissionSuite(server);
await peopleSuite(server);
