import type { Edit } from "./table.ts";

/** A rule of the source, with an edit that breaks it: a new place that does, or a guard that is gone. docs/testing.md has how they are run. */
export interface HouseMutation extends Edit {
  readonly rule: string;
}

/** Each of the rules is broken at least once. */
export const HOUSE_MUTATIONS: readonly HouseMutation[] = [
  {
    rule: "what is not marked as mine is not mine",
    removes: "a controller reads a Secret past the room that looks whose it is",
    file: "src/programs/operator/cluster/acts.ts",
    from: 'import { Pods, StatefulSets } from "#kit/kube/builtin";',
    to: 'import { Pods, Secrets, StatefulSets } from "#kit/kube/builtin";',
    test: "test/secret-rooms.test.ts",
  },
  {
    rule: "what is not marked as mine is not mine",
    removes: "an object of another owner counts as ours",
    file: "src/core/planner/ownership/object-findings.ts",
    from: 'if (isAnothers) return "another\'s";',
    to: 'if (isAnothers) return "ours";',
    test: "src/core/planner/ownership/object-findings.test.ts",
  },
  {
    rule: "whose doing a state is is judged by what is there",
    removes: "the partition is left open when another writer changed the template",
    file: "src/core/planner/cluster/plan.ts",
    from: "const partition = nodesOf(view);",
    to: "const partition = 0;",
    test: "src/core/planner/cluster/orders.test.ts",
  },
  {
    rule: "one rule, one function",
    removes: "another place decides whether a build of a module fits",
    file: "src/core/planner/prerequisites/modules.ts",
    from: "if (modules.length === 0 || step?.to.userModules",
    to: 'const compatible = String(step?.to.operator);\n    if (compatible === "8.0") return undefined;\n    if (modules.length === 0 || step?.to.userModules',
    test: "test/architecture.test.ts",
    named: "build of a module",
  },
  {
    rule: "a fact has a deadline",
    removes: "a leader promotes although holds may have ended",
    file: "src/programs/agent/switchover/switchover.ts",
    from: "  requireHolds(ports.clock.uptimeMs() - heldSince);\n",
    to: "",
    test: "src/programs/agent/switchover/holds.test.ts",
  },
  {
    rule: "no data of a client stops a move",
    removes: "a command without a bound is sent to an engine that serves",
    file: "src/programs/agent/switchover/engines.ts",
    from: 'for (const kind of ["SCRIPT", "FUNCTION"]) {',
    to: 'await client.call("KEYS", "*");\n  for (const kind of ["SCRIPT", "FUNCTION"]) {',
    test: "test/engine-commands.test.ts",
  },
  {
    rule: "gates are closed until they are opened",
    removes: "replies of a new engine wait for nothing until a requirement arrives",
    file: "src/programs/proxy/upstream/replica-rounds.ts",
    from: '#requirement: Requirement = "hold";',
    to: '#requirement: Requirement = "none";',
    test: "src/programs/proxy/upstream/replica-rounds.test.ts",
  },
  {
    rule: "options are found by the grammar of the command",
    removes: "a word is searched among the arguments",
    file: "src/programs/proxy/session/upload.ts",
    from: "if (!parts.endpoint.mayPin) return undefined;",
    to: 'const args = [name.toString("latin1")];\n    if (!parts.endpoint.mayPin || args.includes("BLOCK")) return undefined;',
    test: "test/architecture.test.ts",
    named: "options of a request",
  },
  {
    rule: "a status ends with its source, and says what a person has to do",
    removes: "what a person has to do does not stall an object",
    file: "src/core/planner/findings/readiness.ts",
    from: 'new Set(["block", "consent"])',
    to: 'new Set(["consent"])',
    test: "src/core/planner/findings/readiness.test.ts",
  },
  {
    rule: "nothing unbounded that strangers fill",
    removes: "a map has an entry for whatever a client names",
    file: "src/programs/proxy/session/upload.ts",
    from: "  readonly #kept: KeptRequest;\n",
    to: "  readonly #kept: KeptRequest;\n  readonly #names = new Map<string, number>();\n",
    test: "test/bounded-maps.test.ts",
  },
  {
    rule: "files that others can replace are opened by one function",
    removes: "an agent reads a file in a folder of an engine by its path",
    file: "src/mechanisms/supervisor/instance-files.ts",
    from: 'import { readdir, rename, rm } from "node:fs/promises";',
    to: 'import { readdir, readFile, rename, rm } from "node:fs/promises";',
    test: "test/shared-files.test.ts",
  },
  {
    rule: "who may not ask is refused",
    removes: "a role may call each route that reads",
    file: "src/programs/agent/api/http/authorize-caller.ts",
    from: "  onCaller(caller);\n  requireAllowed(name, caller);\n",
    to: "  onCaller(caller);\n",
    test: "src/programs/agent/api/http/authorization.test.ts",
  },
  {
    rule: "what is of a shard is decided for each shard",
    removes: "the permission to start empty is given to every shard",
    file: "src/programs/agent/node/wanted.ts",
    from: "return isBeingMade(record) || recovery?.empty === true;",
    to: "return isBeingMade(record) || record.shards.some((one) => one.recovery?.empty === true) || recovery?.empty === true;",
    test: "src/programs/agent/node/wanted.test.ts",
  },
  {
    rule: "what is of a shard is decided for each shard",
    removes: "only the first shard is asked whether its replica finds a place",
    file: "src/core/planner/database/growth.ts",
    from: "for (const shard of before.shards) {",
    to: "for (const shard of before.shards[0] === undefined ? [] : [before.shards[0]]) {",
    test: "test/first-shard.test.ts",
  },
];
