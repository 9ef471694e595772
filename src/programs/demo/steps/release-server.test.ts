import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchReleaseBundle, latestReleaseTag, startReleaseServer } from "./release-server.ts";

await using stack = new AsyncDisposableStack();
const server = stack.adopt(
  await startReleaseServer("v8.2.0-12", (tag) => (tag === "v8.2.0-12" ? "kind: Deployment\n" : undefined)),
  (started) => started.close(),
);

await test("the latest release is named by tag_name, and its bundle is below the base address", async () => {
  const tag = await latestReleaseTag(server.releasesApiUrl);
  assert.equal(tag, "v8.2.0-12");
  assert.equal(await fetchReleaseBundle(server.bundleBaseUrl, tag), "kind: Deployment\n");
});

await test("an unknown release is a failure that names the address and the status", async () => {
  await assert.rejects(fetchReleaseBundle(server.bundleBaseUrl, "v9.9.9-9"), /v9\.9\.9-9\/bundle\.yaml answered 404/);
});
