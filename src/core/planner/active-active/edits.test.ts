import assert from "node:assert/strict";
import { test } from "node:test";
import { sentence } from "../admission/objection.ts";
import { withField } from "./edit-fields.ts";
import { siteOfText, withoutSite, withSite, type EditResult, type WrittenSpec } from "./edits.ts";

const spec: WrittenSpec = { participatingClusters: [{ name: "east" }, { name: "west" }] };
const global = (fields: object): object => ({ globalConfigurations: fields });
const west = (state: "up" | "syncing" | "down") => [
  { name: "west", state, since: "2026-11-23T05:00:00.000Z", cause: state === "up" ? "" : "no answer" },
];
const leaving = (sites: ReturnType<typeof west> | string, isForced = false) =>
  withoutSite(spec, "west", { self: "east", sites, isForced });

const made: readonly (readonly [rule: string, result: EditResult<unknown>, expected: object])[] = [
  ["a site is named by its remote cluster", siteOfText("west"), { name: "west" }],
  ["a port follows a colon", siteOfText("west:443"), { name: "west", externalReplicationPort: 443 }],
  ["a new site comes last", withSite(spec, { name: "north" }), sites("east", "west", "north")],
  ["a site that is up leaves", leaving(west("up")), sites("east")],
  ["a site that is down leaves by force", leaving(west("down"), true), sites("east")],
  [
    "what is text is taken as text",
    withField(spec, "memorySize", "2GB"),
    { ...spec, ...global({ memorySize: "2GB" }) },
  ],
  ["what is no text is JSON", withField(spec, "replication", "true"), { ...spec, ...global({ replication: true }) }],
  [
    "the other fields stay",
    withField({ ...spec, ...global({ memorySize: "1GB" }) }, "replication", "true"),
    { ...spec, ...global({ memorySize: "1GB", replication: true }) },
  ],
  [
    "a field without a value has its default again",
    withField({ ...spec, ...global({ memorySize: "1GB" }) }, "memorySize", ""),
    { ...spec, ...global({}) },
  ],
  ["a version goes to the top", withField(spec, "storeVersion", "8.2"), { ...spec, storeVersion: "8.2" }],
  [
    "a version stays where it is",
    withField({ ...spec, ...global({ storeVersion: "8.0" }) }, "storeVersion", "8.2"),
    { ...spec, ...global({ storeVersion: "8.2" }) },
  ],
  [
    "modules stay where they are, under the name that is there",
    withField({ ...spec, ...global({ modulesList: [] }) }, "moduleList", '[{"name":"search","version":"8.2"}]'),
    { ...spec, ...global({ modulesList: [{ name: "search", version: "8.2" }] }) },
  ],
];

for (const [rule, result, expected] of made) {
  test(rule, () => {
    assert.deepEqual(result, { value: expected });
  });
}

const refused: readonly (readonly [rule: string, result: EditResult<unknown>, says: RegExp])[] = [
  ["a port is one that there is", siteOfText("west:70000"), /spec\.participatingClusters: .*"west:70000".*1 to 65535/],
  ["a port follows each colon", siteOfText("west:"), /port of 1 to 65535/],
  ["a site has a name of Kubernetes", siteOfText("West"), /"West".*StoreEnterpriseRemoteCluster/],
  ["a cluster takes part once", withSite(spec, { name: "west" }), /participatingClusters\[1\]\.name: Duplicate value/],
  [
    "only a site leaves",
    withoutSite(spec, "north", { self: "east", sites: [], isForced: true }),
    /the sites are east, west/,
  ],
  [
    "the last site does not leave",
    withoutSite({ participatingClusters: [{ name: "west" }] }, "west", { self: "east", sites: [], isForced: true }),
    /the only site; kubectl delete reaadb/,
  ],
  [
    "a site is taken out at another one, also by force",
    withoutSite(spec, "east", { self: "east", sites: [], isForced: true }),
    /remove it at another site: west/,
  ],
  ["a site that is down stays without force", leaving(west("down")), /"west" is down since 2026.*no answer.*--force/],
  ["a site that is behind stays without force", leaving(west("syncing")), /"west" is syncing since/],
  ["a site that the link does not know stays without force", leaving([]), /the link does not know it yet/],
  [
    "a site of which nothing is known stays without force",
    leaving("node 1 is silent"),
    /not known \(node 1 is silent\)/,
  ],
  [
    "a field that there is not is refused with those that there are",
    withField(spec, "memory", "1GB"),
    /spec\.globalConfigurations: .*"memory".*"evictionPolicy".*"memorySize".*"storeVersion"/,
  ],
  ["a field of one site is refused", withField(spec, "storeEnterpriseCluster", "rec"), /differs from site to site/],
  [
    "a wrong value is refused with those that there are",
    withField(spec, "storeVersion", "9.9"),
    /spec\.globalConfigurations\.storeVersion: .*"7\.2"\|"7\.4"\|"8\.0"\|"8\.2"; kubectl explain/,
  ],
  ["a number is a number", withField(spec, "shardCount", "many"), /shardCount: .*"many".*expected number/],
];

for (const [rule, result, says] of refused) {
  test(rule, () => {
    assert.ok("objection" in result, JSON.stringify(result));
    assert.match(sentence(result.objection), says);
  });
}

function sites(...names: readonly string[]): WrittenSpec {
  return { participatingClusters: names.map((name) => ({ name })) };
}
