import assert from "node:assert/strict";
import { test } from "node:test";
import { requestedAccess } from "./requested.ts";

const requests: [request: string, needs: object | undefined][] = [
  ["GET /api/v1/namespaces/a/pods?labelSelector=x", { verb: "list", group: "", resource: "pods", namespace: "a" }],
  ["GET /api/v1/pods?watch=true", { verb: "watch", group: "", resource: "pods" }],
  ["GET /api/v1/namespaces/a", { verb: "get", group: "", resource: "namespaces", name: "a" }],
  [
    "GET /api/v1/namespaces/a/pods/p/log?container=c",
    { verb: "get", group: "", resource: "pods/log", name: "p", namespace: "a" },
  ],
  [
    "PATCH /apis/apps/v1/namespaces/a/deployments/d%3Ax?force=true",
    { verb: "patch", group: "apps", resource: "deployments", name: "d:x", namespace: "a" },
  ],
  [
    "POST /apis/apps/v1/namespaces/a/deployments",
    { verb: "create", group: "apps", resource: "deployments", namespace: "a" },
  ],
  ["DELETE /apis/g.io/v1/things/t", { verb: "delete", group: "g.io", resource: "things", name: "t" }],
  ["DELETE /apis/g.io/v1/things", { verb: "deletecollection", group: "g.io", resource: "things" }],
  ["PUT /apis/g.io/v1/things/t/status", { verb: "update", group: "g.io", resource: "things/status", name: "t" }],
  ["GET /version", undefined],
  ["GET /apis", undefined],
];
for (const [request, needs] of requests) {
  test(`${request} needs ${JSON.stringify(needs)}`, () => {
    const [method = "", path = ""] = request.split(" ");
    assert.deepEqual(requestedAccess(method, path), needs);
  });
}
