import { startEmbeddedServer } from "../api-servers/test-server.ts";
import { lookSuite } from "./look.ts";
import { defineKinds } from "../kit/kubernetes/permission-scene.ts";

await using server = await startEmbeddedServer();
await defineKinds(server);
await lookSuite(server);
