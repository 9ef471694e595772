import assert from "node:assert/strict";
import { test } from "node:test";
import { childEnvironment } from "./child-environment.ts";

test("a proxy or link gets its mounts and the compile cache of its agent, and no other variable", () => {
  const own = { PATH: "/usr/bin", POD_IP: "10.0.0.1", NODE_COMPILE_CACHE: "/cache" };
  assert.deepEqual(childEnvironment("/root", own), { CONTAINER_ROOT: "/root", NODE_COMPILE_CACHE: "/cache" });
  assert.deepEqual(childEnvironment("/", { PATH: "/usr/bin" }), { CONTAINER_ROOT: "/" });
});
