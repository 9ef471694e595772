import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
const files = filesBelow(ROOT, ["packages", "src"]);

/**
 * Who may use the kind `Secrets` itself. In operator and rigger that is one room, which looks whose a Secret is before it is used; the
 * others read what nodes have made or mounted, and what the user of the command line may read; logins and the certificate of the
 * webhook are read by name through a room that leaves alone what belongs to something else.
 */
const USE_SECRETS = [
  "src/programs/operator/secrets/",
  "packages/kubernetes-in-process/src/",
  "src/programs/agent/credentials/",
  ...["src/programs/cli/", "src/programs/demo/", "packages/controller-kit/src/kube/"],
  "src/mechanisms/observe/kubernetes/unheld-secret.ts",
  "src/mechanisms/observe/environment/installed.ts",
];

/** Who applies over objects by name: what looks before whose they are, and what the operator makes for itself. */
const APPLY = [
  ...["packages/controller-kit/src/reconcile/object-applier.ts", "src/programs/operator/cluster/acts.ts"],
  ...["src/programs/operator/teardown/", "src/programs/operator/definitions.ts", "packages/controller-kit/src/kube/"],
  ...["src/programs/cli/", "src/programs/demo/", "packages/kubernetes-in-process/src/"],
];

test("no program reads a Secret or applies over an object past the rooms that look whose it is", () => {
  const product = files
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));
  const outside = (rooms: readonly string[], used: RegExp): readonly string[] =>
    product
      .filter(({ file, text }) => used.test(text) && !rooms.some((room) => file.startsWith(room)))
      .map(({ file }) => file);
  assert.deepEqual(outside(USE_SECRETS, /^import \{[^}]*\bSecrets\b[^}]*\} from "[^"]*\/builtin(?:\.ts)?"/m), []);
  assert.deepEqual(outside(APPLY, /\bkube\.apply\(/), []);
});
