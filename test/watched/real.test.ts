import { onRealServer } from "../api-servers/test-server.ts";
import { scenario } from "../specification/rule.ts";
import { watchedNamespaces } from "./suite.ts";

await onRealServer((server) =>
  scenario(
    "the operator manages namespaces of a real server that are added, left and taken back while it runs",
    ["§4.3.7 roles are reapplied in each watched namespace"],
    () => watchedNamespaces(server),
  ),
);
