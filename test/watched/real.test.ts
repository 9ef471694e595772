import { test } from "node:test";
import { onRealServer } from "../api-servers/test-server.ts";
import { watchedNamespaces } from "./suite.ts";

await onRealServer((server) =>
  test("the operator manages namespaces of a real server that are added, left and taken back while it runs", () =>
    watchedNamespaces(server)),
);
