import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstalledModule } from "../../api/records.ts";
import { broughtEverywhere, bundledModules, moduleObjection, type ModuleNode } from "./node-modules.ts";

const VECTORS = { name: "vectorset", version: "0.0.1" };

function node(uid: number, change: Partial<ModuleNode> = {}): ModuleNode {
  const engines = [
    { storeVersion: "7.2", modules: [] },
    { storeVersion: "8.2", modules: [VECTORS] },
  ] as const;
  return { uid, platforms: ["rhel9/x86_64"], installed: [], engines, ...change };
}

function build(platform: string): InstalledModule {
  const about = { displayName: "Tally", version: "1.0.0", compatible: "7.2", sha256: "", bytes: 1, args: "" };
  return { uid: platform, name: "tally", ...about, platforms: [platform], actionUid: "", installedTime: "" };
}

const rhel9 = build("rhel9/x86_64");
const debian12 = build("debian12/x86_64");
/** A node of release 0.1.0. */
const silent = node(2, { engines: [{ storeVersion: "7.2" }, { storeVersion: "8.2" }] });

interface Case {
  readonly rule: string;
  readonly nodes: readonly ModuleNode[];
  readonly installed?: readonly InstalledModule[];
  readonly asks: readonly [name: string, storeVersion: "7.2" | "8.2"];
  readonly want?: RegExp;
}

const cases: readonly Case[] = [
  {
    rule: "what every engine of the version brings can be used",
    nodes: [node(1), node(2)],
    asks: ["vectorset", "8.2"],
  },
  {
    rule: "what engines of another version bring cannot",
    nodes: [node(1)],
    asks: ["vectorset", "7.2"],
    want: /^lacking no build of module "vectorset" for database version 7\.2 on rhel9\/x86_64.*with the engines: vectorset 0\.0\.1 for 8\.2$/,
  },
  {
    rule: "a node that does not report what its engines bring is taken to lack it",
    nodes: [node(1), silent],
    asks: ["vectorset", "8.2"],
    want: /node 2 does not report what its engines bring$/,
  },
  {
    rule: "without a node nothing can be used",
    nodes: [],
    asks: ["vectorset", "8.2"],
    want: /^lacking .*on the nodes is installed/,
  },
  {
    rule: "a node without an engine of the version does not matter",
    nodes: [node(1), node(2, { engines: [] })],
    asks: ["vectorset", "8.2"],
  },
  {
    rule: "an installed build counts where its node has it",
    nodes: [node(1, { installed: [rhel9.uid] })],
    installed: [rhel9],
    asks: ["tally", "7.2"],
  },
  {
    rule: "the case of a module's name does not count",
    nodes: [node(1, { installed: [rhel9.uid] })],
    installed: [rhel9],
    asks: ["TALLY", "7.2"],
  },
  {
    rule: "the case of the name of what an engine brings does not count either",
    nodes: [node(1), node(2)],
    asks: ["VectorSet", "8.2"],
  },
  {
    rule: "an installed build that a node has not fetched yet is waited for",
    nodes: [node(1, { installed: [rhel9.uid] }), node(2)],
    installed: [rhel9],
    asks: ["tally", "7.2"],
    want: /^late module "tally" 1\.0\.0 is not yet on node 2$/,
  },
  {
    rule: "nodes on two base systems need a build for each",
    nodes: [node(1, { installed: [rhel9.uid] }), node(2, { platforms: ["debian12/x86_64"] })],
    installed: [rhel9],
    asks: ["tally", "7.2"],
    want: /on debian12\/x86_64 is installed/,
  },
  {
    rule: "nodes on two base systems take each its own build",
    nodes: [
      node(1, { installed: [rhel9.uid, debian12.uid] }),
      node(2, { platforms: ["debian12/x86_64"], installed: [rhel9.uid, debian12.uid] }),
    ],
    installed: [rhel9, debian12],
    asks: ["tally", "7.2"],
  },
];

for (const { rule, nodes, installed = [], asks, want } of cases)
  test(`modules of nodes: ${rule}`, () => {
    const [name, storeVersion] = asks;
    const objection = moduleObjection(nodes, installed, { name, storeVersion });
    if (want === undefined) assert.equal(objection, undefined);
    else assert.match(`${objection?.kind ?? ""} ${objection?.message ?? ""}`, want);
  });

test("modules of nodes: each version of a module is listed once, with its database versions and platforms", () => {
  assert.deepEqual(bundledModules([node(1), node(2, { platforms: ["debian12/x86_64"] }), silent]), [
    { ...VECTORS, versions: ["8.2"], platforms: ["rhel9/x86_64", "debian12/x86_64"] },
  ]);
});

for (const { rule, nodes, want } of [
  {
    rule: "one that each node with an engine of the version brings is bundled",
    nodes: [node(1), node(2)],
    want: VECTORS,
  },
  {
    rule: "a node without an engine of the version does not matter for that",
    nodes: [node(1), node(2, { engines: [] })],
    want: VECTORS,
  },
  { rule: "one that some node lacks may be installed", nodes: [node(1), silent] },
  { rule: "one that no node could have may be installed", nodes: [] },
])
  test(`modules: ${rule}`, () => {
    assert.deepEqual(broughtEverywhere(nodes, { name: "VectorSet", storeVersion: "8.2" }), want);
  });
