import { asking, clusterView, database, facts, NEW, node, OLD, pod } from "../../../../test/kit/facts/cluster-view.ts";
import { type RecoveryCase, testRecoveries } from "../../../../test/kit/facts/recovered-cluster.ts";
import { clusterSpec } from "../../api/cluster-spec.ts";
import { callApi, installLicense } from "../../api/kubectl.ts";
import { stepFrom } from "../prerequisites/check-input.ts";

const TO_7_4 = { store_version: "7.4" } as const;
const DIGEST = `sha256:${"0".repeat(64)}`;
const invalid = { state: "Invalid", reason: "it is over", expirationDate: "2020-01-01T00:00:00Z" } as const;

const cases: readonly RecoveryCase[] = [
  { name: "a healthy cluster needs no recovery", does: [] },
  {
    name: "a tag in no release becomes the operator's own, and no step of that is taken back",
    view: { release: NEW, spec: asking("9.9.9-9") },
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
      release: NEW,
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
      release: NEW,
      spec: clusterSpec.parse({ autoUpgradeStoreEnterprise: true, bootstrapperImageSpec: { digestHash: DIGEST } }),
    },
    given: { keepDigests: true },
    does: [
      [
        "AutoUpgradeDigestConflict",
        `kubectl patch rec rec --type merge -p '{"spec":{"autoUpgradeStoreEnterprise":false,"upgradeSpec":{"autoUpgradeStoreEnterprise":null},"storeEnterpriseImageSpec":{"versionTag":"${NEW.nodeTag}"}}}'`,
      ],
    ],
  },
  {
    name: "a licence that is not in force needs one",
    view: { release: NEW, spec: asking(NEW.nodeTag), cluster: facts({ license: invalid }) },
    does: [["LicenseInvalid"]],
    needs: /--license <file>/,
  },
  {
    name: "a given licence is installed, then written where the spec names it",
    view: {
      release: NEW,
      spec: asking(NEW.nodeTag, { licenseSecretName: "paid" }),
      cluster: facts({ license: invalid }),
    },
    given: { license: "license.txt" },
    does: [
      [
        "LicenseInvalid",
        installLicense("rec", "license.txt"),
        "kubectl create secret generic paid --from-file=license=license.txt --dry-run=client -o yaml | kubectl apply -f -",
      ],
    ],
  },
  {
    name: "an old database is upgraded first, then its object says the same; one without an object is upgraded alone",
    view: {
      release: NEW,
      spec: asking(NEW.nodeTag),
      cluster: facts({ databases: [database(), database({ uid: 2, name: "bare" })] }),
    },
    step: stepFrom("8.0.6-54", { ...NEW, minDatabase: "7.4" }),
    databases: [{ name: "db", storeVersion: "7.2", findings: [] }],
    does: [
      [
        "IncompatibleDatabaseVersion",
        callApi("rec", "POST", "/v1/bdbs/1/upgrade", { body: TO_7_4, comment: "db, until it is there" }),
        `kubectl patch redb db --type merge -p '{"spec":{"storeVersion":"7.4"}}'`,
        callApi("rec", "POST", "/v1/bdbs/2/upgrade", { body: TO_7_4, comment: "bare, until it is there" }),
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
    name: "a version that was taken back while the upgrade to it runs: its object says where it ends",
    view: { cluster: facts({ databases: [database({ storeVersion: "7.2", upgradesTo: "7.4" })] }) },
    databases: [{ name: "db", storeVersion: "7.2", findings: [] }],
    does: [["Drifted", `kubectl patch redb db --type merge -p '{"spec":{"storeVersion":"7.4"}}'`]],
  },
  {
    name: "a minor version under the policy major of the cluster: the policy changes",
    view: { spec: clusterSpec.parse({ storeUpgradePolicy: "major" }) },
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
    name: "a maintenance that the operator waits for is ended; one that it has begun itself is not",
    view: {
      cluster: facts({ nodes: [node(1), node(2, { maintenance: true }), node(3)] }),
      remembered: {
        ...clusterView().remembered,
        findings: [{ id: "NodeInMaintenance", severity: "wait", evidence: "in maintenance: node 2", remedy: "end it" }],
      },
    },
    does: [["NodeInMaintenance", callApi("rec", "POST", "/v1/nodes/2/actions/maintenance_off")]],
  },
  {
    name: "a node in maintenance that no upgrade waits for is left alone",
    view: { cluster: facts({ nodes: [node(1), node(2, { maintenance: true }), node(3)] }) },
    does: [],
  },
  {
    name: "nodes of two releases before a step to a third: the upgrade that is under way is asked for again",
    view: { release: NEW, spec: asking(NEW.nodeTag), pods: [pod(0), pod(1), pod(2, { nodeTag: "8.0.18-23.11" })] },
    does: [
      [
        "MixedVersions",
        `kubectl patch rec rec --type merge -p '{"spec":{"storeEnterpriseImageSpec":{"versionTag":"8.0.18-23.11"}}}'`,
      ],
    ],
    otherwise: /follows/,
  },
  {
    name: "an older release than what runs is asked for: the spec says what runs",
    view: {
      pods: [0, 1, 2].map((ordinal) => pod(ordinal, { nodeTag: NEW.nodeTag })),
      release: NEW,
      workload: undefined,
    },
    step: stepFrom(NEW.nodeTag, OLD),
    does: ["ImageTagMismatch", "DowngradeRefused"].map((rule) => [
      rule,
      `kubectl patch rec rec --type merge -p '{"spec":{"storeEnterpriseImageSpec":{"versionTag":"${NEW.nodeTag}"}}}'`,
    ]),
  },
  {
    name: "a decision that no program can make is left to the user, with the remedy of the finding",
    view: { release: NEW, spec: asking(NEW.nodeTag), kubernetesMinor: "1.20" },
    does: [["KubernetesVersionUnsupported"]],
    otherwise: /./,
  },
];

testRecoveries(cases);
