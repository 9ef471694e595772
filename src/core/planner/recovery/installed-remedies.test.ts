import { OPEN } from "../../../../test/kit/facts/admission-routes.ts";
import { asking, NEW } from "../../../../test/kit/facts/cluster-view.ts";
import { type RecoveryCase, testRecoveries } from "../../../../test/kit/facts/recovered-cluster.ts";
import { trustCertificateFirst } from "../../api/kubectl.ts";

const own = {
  name: "store-enterprise-admission",
  entry: "storeenterprise.admission.storeenterprise",
  calls: "https://admission.default.svc:443/admission",
  isRefusing: true,
};

const cases: readonly RecoveryCase[] = [
  {
    name: "the old webhook is deleted before anything is written",
    view: { release: NEW, spec: asking("9.9.9-9") },
    environment: {
      webhook: {
        read: true,
        value: {
          namespace: "default",
          configurations: [{ ...own, name: "redb-admission", caBundle: "" }],
          certificate: "CA",
          route: OPEN,
        },
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
          namespace: "default",
          configurations: [{ ...own, caBundle: "OLD" }],
          certificate: "CA",
          route: OPEN,
        },
      },
    },
    does: [["WebhookStale", trustCertificateFirst("store-enterprise-admission", "admission-tls")]],
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
];

testRecoveries(cases);
