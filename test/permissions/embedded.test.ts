import { startEmbeddedServer } from "../api-servers/test-server.ts";
import { lookSuite } from "./look.ts";
import { peopleSuite } from "./people.ts";
import { permissionSuite } from "./suite.ts";

await using server = await startEmbeddedServer();
await permissionSuite(server);
await peopleSuite(server);
await lookSuite(server);
