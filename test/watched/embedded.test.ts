import { test } from "node:test";
import { startEmbeddedServer } from "../api-servers/test-server.ts";
import { watchedNamespaces } from "./suite.ts";

test("the operator manages namespaces that are added, left and taken back while it runs", async () => {
  await using server = await startEmbeddedServer();
  await watchedNamespaces(server);
});
