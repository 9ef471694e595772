import { asking, clusterView, database, facts, NEW, pod, release } from "../../../../test/kit/facts/cluster-view.ts";
import { type RecoveryCase, testRecoveries } from "../../../../test/kit/facts/recovered-cluster.ts";
import { uploadModule } from "../../api/kubectl.ts";
import type { SuppliedModule } from "./recovery.ts";
import { stepFrom } from "../prerequisites/check-input.ts";

const build: SuppliedModule = {
  file: "graph.zip",
  title: "Graph 2.0.0 for databases of 7.2",
  name: "graph",
  compatible: "7.2",
  platforms: ["rhel9/x86_64"],
};
const oldBuild = {
  name: "graph",
  displayName: "Graph",
  bundled: false,
  compatible: "7.2",
  platforms: ["rhel8/x86_64"],
};
const newBuild = { ...oldBuild, platforms: ["rhel9/x86_64"] };
const RHEL8 = release("7.4.6-2").nodeTag;
const { workload } = clusterView();
const ontoRhel9 = {
  view: {
    workload: workload && { ...workload, nodeTag: RHEL8 },
    pods: [0, 1, 2].map((ordinal) => pod(ordinal, { nodeTag: RHEL8 })),
    release: release("7.8.2-6"),
    spec: asking(release("7.8.2-6").nodeTag),
    kubernetesMinor: "1.30",
    cluster: facts({ databases: [database({ modules: ["graph"] })], modules: [oldBuild] }),
  },
  step: stepFrom("7.4.6-22", release("7.8.2-6")),
};
const listed = (name: string): object => ({
  userDefinedModules: [{ name, source: { https: { url: "https://x/graph.zip" } }, credentialsSecret: "login" }],
});
const failed = (change: object = {}) => ({
  ...clusterView().remembered,
  userModules: [
    {
      name: "grph",
      url: "https://x/graph.zip",
      state: "Failed" as const,
      message: "no",
      moduleName: "",
      version: "",
      ...change,
    },
  ],
});

const cases: readonly RecoveryCase[] = [
  {
    name: "a module without a build needs an archive",
    ...ontoRhel9,
    does: [["UnsupportedModule"]],
    needs: /a build of graph for databases of 7\.2 on rhel9: --module <archive>/,
  },
  {
    name: "a build for another base system is none",
    ...ontoRhel9,
    given: { modules: [{ ...build, platforms: ["rhel8/x86_64"] }] },
    does: [["UnsupportedModule"]],
    needs: /a build of graph for databases of 7\.2 on rhel9/,
  },
  {
    name: "a build for databases of another version is none",
    ...ontoRhel9,
    given: { modules: [{ ...build, compatible: "8.0" }] },
    does: [["UnsupportedModule"]],
    needs: /a build of graph for databases of 7\.2 on rhel9/,
  },
  {
    name: "a given build is uploaded",
    ...ontoRhel9,
    given: { modules: [build] },
    does: [
      [
        "UnsupportedModule",
        uploadModule("rec", "graph.zip", "Graph 2.0.0 for databases of 7.2, until every node has it"),
      ],
    ],
  },
  {
    name: "a module that is not listed is listed with the address that is given, the others stay",
    view: {
      release: NEW,
      spec: asking(NEW.nodeTag),
      cluster: facts({ databases: [database({ modules: ["graph"] })], modules: [newBuild] }),
    },
    given: { moduleUrls: { graph: "https://y/g.zip" }, moduleSecret: "login" },
    does: [
      [
        "UserModuleNotListed",
        `kubectl patch rec rec --type merge -p '{"spec":{"userDefinedModules":[{"name":"graph","source":{"https":{"url":"https://y/g.zip"}},"credentialsSecret":"login"}]}}'`,
      ],
    ],
  },
  {
    name: "a module whose name is not its manifest's gets that name",
    view: {
      release: NEW,
      spec: asking(NEW.nodeTag, listed("grph")),
      remembered: failed({ moduleName: "graph" }),
    },
    does: [
      [
        "UserModuleInvalid",
        `kubectl patch rec rec --type merge -p '{"spec":{"userDefinedModules":[{"name":"graph","source":{"https":{"url":"https://x/graph.zip"}},"credentialsSecret":"login"}]}}'`,
      ],
    ],
  },
  {
    name: "a module that cannot be fetched needs an address, unless the server comes back",
    view: { release: NEW, spec: asking(NEW.nodeTag, listed("grph")), remembered: failed() },
    does: [["UserModuleInvalid"]],
    needs: /where "grph" can be fetched: --module-url grph=https/,
    otherwise: /bring the server back/,
  },
];

testRecoveries(cases);
