import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asking,
  clusterView,
  database,
  facts,
  NEW,
  node,
  pod,
  release,
} from "../../../../test/kit/facts/cluster-view.ts";
import { clusterSpec } from "../../api/cluster-spec.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { checkInput, type CheckInput } from "../prerequisites/check-input.ts";
import type { ClusterEnvironment } from "../prerequisites/environment.ts";
import { commandOf } from "./describe.ts";
import { planRecovery } from "./plan.ts";
import type { DatabaseObject, Supplied, SuppliedModule } from "./recovery.ts";

const NOTHING: Supplied = { license: false, modules: [], moduleUrls: {}, moduleSecret: "", keepDigests: false };
const DIGEST = `sha256:${"0".repeat(64)}`;
const build: SuppliedModule = {
  file: "graph.zip",
  title: "Graph 2.0.0 for databases of 7.2",
  name: "graph",
  displayName: "Graph",
  platforms: ["rhel9/x86_64"],
};
const oldBuild = { name: "graph", displayName: "Graph", bundled: false, platforms: ["rhel8/x86_64"] };
const newBuild = { ...oldBuild, platforms: ["rhel9/x86_64"] };
const RHEL8 = release("7.4.6-2").nodeTag;
const { workload } = clusterView();
const ontoRhel9 = {
  view: {
    workload: workload && { ...workload, imageTag: RHEL8 },
    pods: [0, 1, 2].map((ordinal) => pod(ordinal, { imageTag: RHEL8 })),
    operator: release("7.8.2-6"),
    spec: asking(release("7.8.2-6").nodeTag),
    kubernetesMinor: "1.30",
    cluster: facts({ databases: [database({ modules: ["graph"] })], modules: [oldBuild] }),
  },
  step: { from: release("7.4.6-2"), to: release("7.8.2-6") },
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
const invalid = { state: "Invalid", reason: "it is over", expirationDate: "2020-01-01T00:00:00Z" } as const;

interface Case {
  readonly name: string;
  readonly view?: Partial<ClusterView>;
  readonly environment?: ClusterEnvironment;
  readonly step?: CheckInput["step"];
  readonly databases?: readonly DatabaseObject[];
  readonly given?: Partial<Supplied>;
  /** Each recovery: its rule, then what is done. */
  readonly does: readonly (readonly string[])[];
  readonly needs?: RegExp;
  readonly otherwise?: RegExp;
  readonly irreversible?: RegExp;
}

const cases: readonly Case[] = [
  { name: "a healthy cluster needs none", does: [] },
  {
    name: "a tag in no release becomes the operator's own, and that goes on for good",
    view: { operator: NEW, spec: asking("9.9.9-9") },
    does: [
      [
        "UnknownImageTag",
        `kubectl patch rec rec --type merge -p '{"spec":{"storeEnterpriseImageSpec":{"versionTag":"${NEW.nodeTag}"}}}'`,
      ],
    ],
    irreversible: /goes on to 8\.2\.0-12, and never back/,
  },
  {
    name: "an even number of nodes becomes what the cluster has",
    view: { spec: clusterSpec.parse({ nodes: 4 }) },
    does: [["SpecInvalid", `kubectl patch rec rec --type merge -p '{"spec":{"nodes":3}}'`]],
  },
  {
    name: "digests with automatic upgrade: every digest goes, wherever it is",
    view: {
      operator: NEW,
      spec: clusterSpec.parse({
        autoUpgradeStoreEnterprise: true,
        bootstrapperImageSpec: { digestHash: DIGEST },
        usageMeter: { callHomeClient: { imageSpec: { digestHash: DIGEST } } },
      }),
    },
    does: [
      [
        "AutoUpgradeDigestConflict",
        `kubectl patch rec rec --type merge -p '{"spec":{"bootstrapperImageSpec":{"digestHash":null},"usageMeter":{"callHomeClient":{"imageSpec":{"digestHash":null}}}}}'`,
      ],
    ],
    otherwise: /--keep-digests/,
  },
  {
    name: "digests that stay: automatic upgrade goes, and the release is asked for by hand",
    view: {
      operator: NEW,
      spec: clusterSpec.parse({ autoUpgradeStoreEnterprise: true, bootstrapperImageSpec: { digestHash: DIGEST } }),
    },
    given: { keepDigests: true },
    does: [
      [
        "AutoUpgradeDigestConflict",
        `kubectl patch rec rec --type merge -p '{"spec":{"autoUpgradeStoreEnterprise":false,"upgradeSpec":null,"storeEnterpriseImageSpec":{"versionTag":"${NEW.nodeTag}"}}}'`,
      ],
    ],
  },
  {
    name: "a licence that is not in force needs one",
    view: { operator: NEW, spec: asking(NEW.nodeTag), cluster: facts({ license: invalid }) },
    does: [["LicenseInvalid"]],
    needs: /--license <file>/,
  },
  {
    name: "a given licence is installed, then written where the spec names it",
    view: {
      operator: NEW,
      spec: asking(NEW.nodeTag, { licenseSecretName: "paid" }),
      cluster: facts({ license: invalid }),
    },
    given: { license: true },
    does: [
      [
        "LicenseInvalid",
        "PUT /v1/license  # the licence that is given",
        "kubectl edit secret paid  # key license: the same",
      ],
    ],
  },
  {
    name: "a module without a build needs an archive",
    ...ontoRhel9,
    does: [["UnsupportedModule"]],
    needs: /a build for rhel9 of graph: --module <archive>/,
  },
  {
    name: "a build for another base system is none",
    ...ontoRhel9,
    given: { modules: [{ ...build, platforms: ["rhel8/x86_64"] }] },
    does: [["UnsupportedModule"]],
    needs: /a build for rhel9 of graph/,
  },
  {
    name: "a given build is uploaded",
    ...ontoRhel9,
    given: { modules: [build] },
    does: [
      [
        "UnsupportedModule",
        "POST /v2/modules module=@graph.zip  # Graph 2.0.0 for databases of 7.2, until every node has it",
      ],
    ],
  },
  {
    name: "a module that is not listed is listed with the address that is given, the others stay",
    view: {
      operator: NEW,
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
      operator: NEW,
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
    view: { operator: NEW, spec: asking(NEW.nodeTag, listed("grph")), remembered: failed() },
    does: [["UserModuleInvalid"]],
    needs: /where "grph" can be fetched: --module-url grph=https/,
    otherwise: /bring the server back/,
  },
  {
    name: "an old database is upgraded first, then its object says the same; one without an object is upgraded alone",
    view: {
      operator: NEW,
      spec: asking(NEW.nodeTag),
      cluster: facts({ databases: [database(), database({ uid: 2, name: "bare" })] }),
    },
    step: { from: release("8.0.6-8"), to: { ...NEW, minDatabase: "7.4" } },
    databases: [{ name: "db", storeVersion: "7.2", findings: [] }],
    does: [
      [
        "IncompatibleDatabaseVersion",
        'POST /v1/bdbs/1/upgrade {"store_version":"7.4"}  # db, until it is there',
        `kubectl patch redb db --type merge -p '{"spec":{"storeVersion":"7.4"}}'`,
        'POST /v1/bdbs/2/upgrade {"store_version":"7.4"}  # bare, until it is there',
      ],
    ],
    irreversible: /"db", "bare" never go back below 7\.4/,
  },
  {
    name: "a database that was upgraded by hand: its object says the same",
    view: { cluster: facts({ databases: [database({ storeVersion: "7.4" })] }) },
    databases: [{ name: "db", storeVersion: "7.2", findings: [] }],
    does: [["Drifted", `kubectl patch redb db --type merge -p '{"spec":{"storeVersion":"7.4"}}'`]],
  },
  {
    name: "a minor version under the policy major: the policy changes",
    databases: [
      {
        name: "db",
        storeVersion: "7.4",
        findings: [
          { id: "UpgradePolicyMajor", severity: "block", evidence: "it is a minor version", remedy: "change it" },
        ],
      },
    ],
    does: [["UpgradePolicyMajor", `kubectl patch rec rec --type merge -p '{"spec":{"storeUpgradePolicy":"latest"}}'`]],
  },
  {
    name: "the old webhook is deleted before anything is written",
    view: { operator: NEW, spec: asking("9.9.9-9") },
    environment: {
      webhook: {
        read: true,
        value: { configurations: [{ name: "redb-admission", caBundle: "" }], certificate: "CA", endpoints: 1 },
      },
    },
    does: [
      ["WebhookStale", "kubectl delete ValidatingWebhookConfiguration redb-admission"],
      [
        "UnknownImageTag",
        `kubectl patch rec rec --type merge -p '{"spec":{"storeEnterpriseImageSpec":{"versionTag":"${NEW.nodeTag}"}}}'`,
      ],
    ],
  },
  {
    name: "a webhook with another certificate gets that of the secret",
    environment: {
      webhook: {
        read: true,
        value: {
          configurations: [{ name: "store-enterprise-admission", caBundle: "OLD" }],
          certificate: "CA",
          endpoints: 1,
        },
      },
    },
    does: [
      [
        "WebhookStale",
        "kubectl patch ValidatingWebhookConfiguration store-enterprise-admission  # caBundle: cert of secret admission-tls",
      ],
    ],
  },
  {
    name: "a permission that the operator lacks is given back",
    environment: {
      permissions: {
        read: true,
        value: [
          {
            who: "operator",
            group: "apps",
            resource: "statefulsets",
            verb: "patch",
            why: "",
            without: "nodes cannot be replaced",
            namespace: "default",
            role: "store-enterprise-operator",
          },
        ],
      },
    },
    does: [
      [
        "PermissionsMissing",
        `kubectl patch role store-enterprise-operator -n default --type json -p '[{"op":"add","path":"/rules/-","value":{"apiGroups":["apps"],"resources":["statefulsets"],"verbs":["patch"]}}]'`,
      ],
    ],
    otherwise: /Kubernetes lets no account grant more than it has/,
  },
  {
    name: "a worker that is cordoned is taken back, one that is not ready is not",
    environment: {
      workers: {
        read: true,
        value: [
          { name: "w1", ready: true, cordoned: true, labels: {}, taints: [], spreads: true, pods: [] },
          { name: "w2", ready: false, cordoned: true, labels: {}, taints: [], spreads: true, pods: [] },
        ],
      },
    },
    does: [["WorkerUnschedulable", "kubectl uncordon w1"]],
  },
  {
    name: "a maintenance that the operator waits for is ended; one that it has begun itself is not",
    view: {
      cluster: facts({ nodes: [node(1), node(2, { maintenance: true }), node(3)] }),
      remembered: {
        ...clusterView().remembered,
        findings: [{ id: "NodeInMaintenance", severity: "wait", evidence: "in maintenance: node 2", remedy: "end it" }],
      },
    },
    does: [["NodeInMaintenance", "POST /v1/nodes/2/actions/maintenance_off"]],
  },
  {
    name: "a node in maintenance while nobody waits for it is left alone",
    view: { cluster: facts({ nodes: [node(1), node(2, { maintenance: true }), node(3)] }) },
    does: [],
  },
  {
    name: "what no program can decide is left to a person, with the remedy of the finding",
    view: { operator: NEW, spec: asking(NEW.nodeTag), kubernetesMinor: "1.20" },
    does: [["KubernetesVersionUnsupported"]],
    otherwise: /./,
  },
];

for (const { name, view = {}, environment = {}, step, databases = [], given = {}, ...expected } of cases) {
  test(name, () => {
    const input = checkInput(clusterView(view), { environment, ...(step && { step }) });
    const recoveries = planRecovery({ input, databases }, { ...NOTHING, ...given });
    const reported = recoveries.map(({ rule, acts }) => [rule, ...acts.map((act) => commandOf(act, "rec"))]);
    assert.deepEqual(reported, expected.does);
    const [first] = recoveries;
    assert.match(first?.needs ?? "", expected.needs ?? /^$/);
    assert.match(first?.irreversible ?? "", expected.irreversible ?? /^$/);
    if (expected.otherwise !== undefined) assert.match(first?.otherwise ?? "", expected.otherwise);
  });
}
