import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
/** Where a deadline may pass while the process stands still, and why. */
const EXCEPT: Readonly<Record<string, string>> = {
  "src/programs/demo/steps/release-server.ts": "a demo that stood still is started again",
  "src/programs/operator/teardown/teardown.ts": "Kubernetes kills the pod then, whatever the process has seen",
  "src/programs/proxy/pinned/mirror-subscribers.ts":
    "clients wait meanwhile: a subscriber that is late moves after the release",
};

test("an answer is waited for with `patientSignal`, which does not run out while the process stands still", () => {
  const timed = filesBelow(ROOT, ["packages", "src"]).filter(
    (file) =>
      !/\.test\.ts$|\/testing\//.test(file) && /AbortSignal\.timeout\(/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  assert.deepEqual(timed, Object.keys(EXCEPT));
});
