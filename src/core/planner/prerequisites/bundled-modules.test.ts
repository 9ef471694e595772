import { database, facts, NEW, node, OLD, pod, release, upgrading } from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import type { ClusterModule, NodeEngine, PolledCluster } from "../view/cluster-view.ts";
import { stepFrom } from "./check-input.ts";

const texts = database({ name: "texts", modules: ["ft"], askedModules: ["ft"] });
const brought: ClusterModule = {
  name: "ft",
  displayName: "ft",
  bundled: true,
  platforms: ["rhel9/x86_64"],
  databaseVersions: ["7.2"],
};
const build = (compatible: string, platform = "rhel9"): ClusterModule => ({
  name: "ft",
  displayName: "Search",
  bundled: false,
  platforms: [`${platform}/x86_64`],
  compatible,
});

/** The database with its module, and what else is installed. */
function using(modules: readonly ClusterModule[] = [], change: Partial<PolledCluster> = {}): PolledCluster {
  return facts({ databases: [texts], modules: [brought, ...modules], ...change });
}

function images(...names: readonly string[]): {
  readonly operatorModules: readonly Required<Omit<NodeEngine, "tls">>[];
} {
  return { operatorModules: [{ storeVersion: "7.2", modules: names }] };
}

const serving = (modules?: readonly string[]): NodeEngine[] => [
  { storeVersion: "7.2", ...(modules === undefined ? {} : { modules }) },
];

const cases: readonly CheckCase[] = [
  {
    name: "a module that the images of the release bring is there after the upgrade",
    view: { ...upgrading, cluster: using(), ...images("ft") },
  },
  {
    name: "a module that they no longer bring blocks, with what they bring",
    view: { ...upgrading, cluster: using(), ...images("vectorset") },
    found: "block BundledModuleMissing",
    evidence:
      /^the images of 8\.2\.0-12 do not bring module "ft" for databases of 7\.2, used by "texts"; they bring vectorset for 7\.2$/,
  },
  {
    name: "a module that they bring for another database version alone blocks",
    view: { ...upgrading, cluster: using(), operatorModules: [{ storeVersion: "8.2", modules: ["ft"] }] },
    found: "block BundledModuleMissing",
  },
  {
    name: "what is not known of the images of a release to come is a note",
    view: { ...upgrading, release: OLD, cluster: using() },
    step: stepFrom(OLD.nodeTag, NEW),
    found: "warn BundledModuleMissing",
    evidence: /is known once the operator is 8\.2\.0-12/,
  },
  {
    name: "what the operator of another release brings says nothing",
    view: { ...upgrading, release: OLD, cluster: using(), ...images("ft") },
    step: stepFrom(OLD.nodeTag, NEW),
    found: "warn BundledModuleMissing",
  },
  {
    name: "what a node of the release reports goes before the operator's image",
    view: {
      ...upgrading,
      ...images("ft"),
      pods: [pod(0), pod(1), pod(2, { nodeTag: NEW.nodeTag })],
      cluster: using([], { nodes: [node(1), node(2), node(3, { engines: serving([]) })] }),
    },
    found: "block BundledModuleMissing",
  },
  {
    name: "a node of the release that does not say what its engine brings is taken to bring nothing",
    view: {
      ...upgrading,
      ...images("ft"),
      pods: [pod(0), pod(1), pod(2, { nodeTag: NEW.nodeTag })],
      cluster: using([], { nodes: [node(1), node(2), node(3, { engines: serving() })] }),
    },
    found: "block BundledModuleMissing",
  },
  {
    name: "an installed build for the same database version stands in for it",
    view: { ...upgrading, cluster: using([build("7.2")]), ...images() },
  },
  {
    name: "a build for another database version does not",
    view: { ...upgrading, cluster: using([build("8.2")]), ...images() },
    found: "block BundledModuleMissing",
  },
  {
    name: "nor does one for another base system",
    view: { ...upgrading, cluster: using([build("7.2", "ubuntu18")]), ...images() },
    found: "block BundledModuleMissing",
  },
  {
    name: "what is built into an engine, and no database asks for, is not looked at",
    view: {
      ...upgrading,
      cluster: using([], { databases: [database({ modules: ["ft"] })] }),
      ...images(),
    },
  },
  {
    name: "without a step nothing is asked",
    view: { cluster: using(), ...images() },
  },
  {
    name: "a module of the same name that is bundled with another version needs a build",
    view: {
      release: release("7.8.2-6"),
      kubernetesMinor: "1.30",
      cluster: using([build("7.4", "rhel8")], { databases: [{ ...texts, storeVersion: "7.4" }] }),
    },
    step: stepFrom("7.4.6-22", release("7.8.2-6")),
    found: "block UnsupportedModule",
  },
];

testChecks(cases);
