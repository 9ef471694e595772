import { asking, database, facts, NEW, release, upgrading } from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import type { UserModuleStatus } from "../../api/cluster-status.ts";
import { stepFrom } from "./check-input.ts";

const MODULE_URL = "https://x/graph.zip";
const listing = { userDefinedModules: [{ name: "Graph", source: { https: { url: MODULE_URL } } }] };

function fetched(change: Partial<UserModuleStatus> = {}): UserModuleStatus {
  const module = { name: "Graph", url: MODULE_URL, moduleName: "graph", version: "1.0.0" };
  return { ...module, state: "Installed", message: "", ...change };
}

const custom = database({ name: "db", modules: ["graph"] });

const cases: readonly CheckCase[] = [
  {
    name: "a module in use without a build for the base system blocks",
    view: {
      operator: release("7.8.2-6"),
      kubernetesMinor: "1.30",
      cluster: facts({
        databases: [custom],
        modules: [{ name: "graph", displayName: "Graph", bundled: false, platforms: ["rhel8/x86_64"] }],
      }),
    },
    step: stepFrom("7.4.6-22", release("7.8.2-6")),
    found: "block UnsupportedModule",
    evidence: /no build for rhel9 of graph \(rhel8\/x86_64\), used by "db"/,
  },
  {
    name: "a module in use that is not listed blocks where modules are listed",
    view: {
      ...upgrading,
      cluster: facts({
        databases: [custom],
        modules: [{ name: "graph", displayName: "Graph", bundled: false, platforms: ["rhel9/x86_64"] }],
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
        modules: [{ name: "graph", displayName: "Graph", bundled: false, platforms: ["rhel9/x86_64"] }],
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
