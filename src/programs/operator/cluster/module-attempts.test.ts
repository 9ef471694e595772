import assert from "node:assert/strict";
import { test } from "node:test";
import { ModuleAttempts } from "./module-attempts.ts";

test("an editor who lists other modules again and again leaves nothing behind in the operator", () => {
  const attempts = new ModuleAttempts({ uptimeMs: () => 0 });
  for (let edit = 0; edit < 1_000; edit++) {
    const listed = [`first ${edit}`, "stays"];
    attempts.keepOnly("team/rec", listed);
    for (const module of listed) attempts.due("team/rec", module, undefined);
  }
  assert.equal(attempts.size, 2);
  attempts.keepOnly("team/rec", []);
  assert.equal(attempts.size, 0);
});

test("a module that stays listed is announced once, and tried again after two seconds", () => {
  let uptime = 0;
  const attempts = new ModuleAttempts({ uptimeMs: () => uptime });
  const status = {
    name: "m",
    url: "https://m.test/",
    state: "Installing",
    message: "",
    moduleName: "",
    version: "",
  } as const;
  const due = () => attempts.due("team/rec", "m", { ...status, attempts: 1 });
  assert.equal(attempts.due("team/rec", "m", undefined), "announce");
  assert.equal(due(), "try");
  attempts.keepOnly("team/rec", ["m"]);
  assert.equal(due(), "later");
  uptime += 2_000;
  assert.equal(due(), "try");
});
