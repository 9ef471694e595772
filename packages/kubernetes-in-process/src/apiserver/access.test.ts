import assert from "node:assert/strict";
import { test } from "node:test";
import { rawApi } from "../testing/api-client.ts";
import { isFault } from "../../../controller-kit/src/base/fault.ts";
import { apiErrors } from "./faults.ts";

test("a token of a service account is its user's; one for an account that is not there is a fault", async () => {
  await using api = await rawApi();
  await api.send("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "reader" } } });
  const client = api.as(api.server.serviceAccountToken("default", "reader"));
  const { body } = await client.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body: {} });
  assert.equal(body.status.userInfo.username, "system:serviceaccount:default:reader");
  assert.throws(
    () => api.server.serviceAccountToken("default", "absent"),
    (error) => isFault(error, apiErrors.notFound),
  );
});
