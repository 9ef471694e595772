import { startEmbeddedServer } from "../api-servers/test-server.ts";
import { scenario } from "../specification/rule.ts";
import { watchedNamespaces } from "./suite.ts";

scenario(
  "the operator manages namespaces that are added, left and taken back while it runs",
  ["§4.3.7 roles are reapplied in each watched namespace"],
  async () => {
    await using server = await startEmbeddedServer();
    await watchedNamespaces(server);
  },
);
