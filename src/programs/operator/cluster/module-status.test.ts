import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleStatus } from "./module-status.ts";

type Module = Parameters<typeof moduleStatus>[0]["modules"][number];

const about = { display_name: "Tally", semantic_version: "1.0.0" };
const build = (compatible_redis_version: string, ...platforms: string[]): Module => ({
  ...about,
  module_name: "tally",
  compatible_redis_version,
  platforms: Object.fromEntries(platforms.map((platform) => [platform, {}])),
});
const brought: Module = { ...about, module_name: "vectorset", platforms: {}, database_versions: ["8.0"] };

const cases: readonly [rule: string, modules: Module[], systems: (string | undefined)[], versions: unknown[]][] = [
  ["a build is for its version of databases", [build("7.2", "rhel9/x86_64")], ["rhel9", "rhel9"], [["7.2"]]],
  ["a build that a node cannot load is for none", [build("7.2", "rhel9/x86_64")], ["rhel8", "rhel9"], [[]]],
  [
    "two builds for two base systems serve both",
    [build("7.2", "rhel9/x86_64"), build("7.2", "rhel8/x86_64")],
    ["rhel8", "rhel9"],
    [["7.2"], ["7.2"]],
  ],
  ["a build that names no platform is for each", [build("7.2")], ["rhel8", "rhel9"], [["7.2"]]],
  ["a node of release 0.1.0 does not say its base system", [build("7.2", "rhel9/x86_64")], [undefined], [["7.2"]]],
  ["what engines bring is for their versions", [brought], ["rhel9"], [["8.0"]]],
];

for (const [rule, modules, systems, versions] of cases) {
  test(`versions of databases that can use a module: ${rule}`, () => {
    const nodes = systems.map((system) => (system === undefined ? {} : { base_system: system }));
    const status = moduleStatus({ modules, nodes });
    assert.deepEqual(
      status.map(({ databaseVersions }) => databaseVersions),
      versions,
    );
  });
}
