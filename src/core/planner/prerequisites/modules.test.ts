import {
  asking,
  database,
  facts,
  NEW,
  OLD,
  node,
  pod,
  release,
  upgrading,
} from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import type { UserModuleStatus } from "../../api/cluster-status.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { stepFrom } from "./check-input.ts";

const MODULE_URL = "https://x/graph.zip";
const listing = { userDefinedModules: [{ name: "Graph", source: { https: { url: MODULE_URL } } }] };

function fetched(change: Partial<UserModuleStatus> = {}): UserModuleStatus {
  const module = { name: "Graph", url: MODULE_URL, moduleName: "graph", version: "1.0.0" };
  return { ...module, state: "Installed", message: "", ...change };
}

const listed: Partial<ClusterView> = {
  spec: asking(NEW.nodeTag, listing),
  remembered: { state: "Running", userModules: [fetched()] },
};
const graph = (platform: string, compatible = "7.2") => ({
  name: "graph",
  displayName: "Graph",
  bundled: false,
  compatible,
  platforms: [platform],
});

const failing = (message: string) => fetched({ state: "Failed", message });
/** At rest, with automatic upgrade. */
const automatic = asking(OLD.nodeTag, { autoUpgradeStoreEnterprise: true });
const inUse = facts({ databases: [database({ name: "db", modules: ["graph"] })], modules: [graph("rhel9/x86_64")] });

const custom = database({ name: "db", modules: ["graph"] });

const cases: readonly CheckCase[] = [
  {
    name: "automatic upgrade is refused when a database uses a module that was uploaded and is not listed",
    view: { spec: automatic, cluster: inUse },
    found: "block AutoUpgradeUserModules",
    evidence: /automatic upgrade is on and "db" uses the module graph$/,
  },
  {
    name: "automatic upgrade is refused when a module is listed, whether a database uses it or not",
    view: {
      spec: asking(OLD.nodeTag, { autoUpgradeStoreEnterprise: true, ...listing }),
      remembered: { state: "Running", userModules: [fetched()] },
    },
    found: "block AutoUpgradeUserModules",
    evidence: /automatic upgrade is on and user-defined modules are listed: Graph$/,
  },
  {
    name: "automatic upgrade may be on when databases use what their engines bring",
    view: {
      spec: automatic,
      cluster: facts({ databases: [custom], modules: [{ ...graph(""), bundled: true, compatible: undefined }] }),
    },
  },
  { name: "modules in use are no objection to an upgrade by hand", view: { cluster: inUse } },
  {
    name: "at rest a listed module that cannot be installed is a warning",
    view: {
      spec: asking(OLD.nodeTag, listing),
      remembered: { version: OLD.nodeTag, userModules: [failing("the server answers 404")] },
    },
    found: "warn UserModuleInvalid",
    evidence: /module "Graph": the server answers 404/,
  },
  {
    name: "at rest a module that is being fetched is no finding",
    view: { spec: asking(OLD.nodeTag, listing) },
  },
  {
    name: "a module in use without a build for the base system blocks",
    view: {
      release: release("7.8.2-6"),
      kubernetesMinor: "1.30",
      cluster: facts({
        databases: [custom],
        modules: [graph("rhel8/x86_64")],
      }),
    },
    step: stepFrom("7.4.6-22", release("7.8.2-6")),
    found: "block UnsupportedModule",
    evidence: /no build of graph for databases of 7\.2 on rhel9 \(installed: for 7\.2 on rhel8\/x86_64\), used by "db"/,
  },
  {
    name: "a build for the base system that is for databases of another version is none",
    view: {
      release: release("7.8.2-6"),
      kubernetesMinor: "1.30",
      cluster: facts({ databases: [custom], modules: [graph("rhel8/x86_64"), graph("rhel9/x86_64", "8.0")] }),
    },
    step: stepFrom("7.4.6-22", release("7.8.2-6")),
    found: "block UnsupportedModule",
    evidence:
      /no build of graph for databases of 7\.2 on rhel9 \(installed: for 7\.2 on rhel8\/x86_64; for 8\.0 on rhel9\/x86_64\), used by "db"/,
  },
  {
    name: "each version of the databases that use a module needs a build",
    view: {
      ...upgrading,
      ...listed,
      cluster: facts({
        databases: [custom, database({ uid: 2, name: "next", storeVersion: "8.0", modules: ["graph"] })],
        modules: [graph("rhel9/x86_64")],
      }),
    },
    found: "block UnsupportedModule",
    evidence: /no build of graph for databases of 8\.0 on rhel9 .*, used by "next"$/,
  },
  {
    name: "the case of a module's name does not count",
    view: {
      ...upgrading,
      ...listed,
      cluster: facts({ databases: [database({ name: "db", modules: ["GRAPH"] })], modules: [graph("rhel9/x86_64")] }),
    },
  },
  {
    name: "a module in use that is not listed blocks where modules are listed",
    view: {
      ...upgrading,
      cluster: facts({
        databases: [custom],
        modules: [graph("rhel9/x86_64")],
      }),
    },
    found: "block UserModuleNotListed",
  },
  {
    name: "a module that is listed by its display name is listed",
    view: {
      ...upgrading,
      remembered: { state: "Running", userModules: [fetched()] },
      spec: asking(NEW.nodeTag, {
        userDefinedModules: [{ name: "Graph", source: { https: { url: "https://x/graph.zip" } } }],
      }),
      cluster: facts({
        databases: [custom],
        modules: [graph("rhel9/x86_64")],
      }),
    },
  },
  {
    name: "a listed module that was not fetched yet is waited for",
    view: { ...upgrading, spec: asking(NEW.nodeTag, listing) },
    found: "block UserModuleFetching",
  },
  {
    name: "a listed module that cannot be had, or is another one, blocks with what was found",
    view: {
      ...upgrading,
      spec: asking(NEW.nodeTag, listing),
      remembered: { userModules: [fetched({ state: "Failed", message: "the server answers 404" })] },
    },
    found: "block UserModuleInvalid",
  },
  {
    name: "a build for the base system of the operator's image is enough, whatever the catalogue says",
    view: {
      ...upgrading,
      ...listed,
      operatorBaseSystem: "debian12",
      cluster: facts({ databases: [custom], modules: [graph("debian12/x86_64")] }),
    },
  },
  {
    name: "a build for the base system of the official image is not enough where the operator's image has another one",
    view: {
      ...upgrading,
      ...listed,
      operatorBaseSystem: "debian12",
      cluster: facts({ databases: [custom], modules: [graph("rhel9/x86_64")] }),
    },
    found: "block UnsupportedModule",
    evidence: /no build of graph for databases of 7\.2 on debian12 \(installed: for 7\.2 on rhel9\/x86_64\)/,
  },
  {
    name: "what a node of the new release reports goes before what was expected",
    view: {
      ...upgrading,
      ...listed,
      operatorBaseSystem: "rhel9",
      pods: [pod(0), pod(1), pod(2, { nodeTag: NEW.nodeTag })],
      cluster: facts({
        databases: [custom],
        modules: [graph("rhel9/x86_64")],
        nodes: [node(1), node(2), node(3, { baseSystem: "debian12" })],
      }),
    },
    found: "block UnsupportedModule",
    evidence: /no build of graph for databases of 7\.2 on debian12/,
  },
  {
    name: "a build that names no platform runs on each base system",
    view: {
      ...upgrading,
      ...listed,
      cluster: facts({ databases: [custom], modules: [{ ...graph("rhel9"), platforms: [] }] }),
    },
  },
  {
    name: "bundled modules are not checked",
    view: {
      ...upgrading,
      cluster: facts({
        databases: [custom],
        modules: [{ name: "graph", displayName: "Graph", bundled: true, platforms: [] }],
      }),
    },
  },
];

testChecks(cases);
