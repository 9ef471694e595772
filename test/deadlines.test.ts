import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
/** Where a deadline may pass while the process stands still, and why. */
const EXCEPT: Readonly<Record<string, string>> = {
  "src/mechanisms/migration/cut-over.ts": "clients of the source wait meanwhile, whose pause goes on",
  "src/programs/demo/steps/release-server.ts": "a demo that stood still is started again",
  "src/programs/operator/teardown/teardown.ts": "Kubernetes kills the pod then, whatever the process has seen",
  "src/programs/proxy/pinned/mirror-subscribers.ts":
    "clients wait meanwhile: a subscriber that is late moves after the release",
};

test("an answer is waited for with `patientSignal`, which does not run out while the process stands still", () => {
  assert.equal(isTimed("await fetch(url, { signal: AbortSignal.timeout(1_000) });"), true);
  assert.equal(isTimed("using deadline = patientSignal(1_000);"), false);
  const timed = filesBelow(ROOT, ["packages", "src"]).filter(
    (file) => !/\.test\.ts$|\/testing\//.test(file) && isTimed(readFileSync(join(ROOT, file), "utf8")),
  );
  assert.deepEqual(timed, Object.keys(EXCEPT));
});

function isTimed(text: string): boolean {
  return /AbortSignal\.timeout\(/.test(text);
}
