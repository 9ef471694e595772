/** Which test types a block of a page, and which of its commands it leaves out and why. */
export interface TypedBlock {
  /** Path of the test file. */
  readonly by: string;
  /** Beginnings of commands that cannot be typed there, each with the reason. */
  readonly except?: Readonly<Record<string, string>>;
}

const UPGRADE = "test/scenario/pages-upgrade.test.ts";
const ROTATION = "test/scenario/pages-rotation.test.ts";
const WALK = "test/scenario/active-active-walk.test.ts";
const ASKED = "src/programs/operator/database/asked-schedule.test.ts";
const REMOTE = "it reads from a server that the page only takes as an example";

/** By page and beginning of a block: the test that types it as it stands there. */
export const TYPED: Readonly<Record<string, Readonly<Record<string, TypedBlock>>>> = {
  "README.md": { "export PATH": { by: "test/readme.test.ts" } },
  "docs/active-active.md": {
    "export PATH": { by: WALK },
    "address=": { by: WALK },
    "trusted=": { by: WALK },
  },
  "docs/admission.md": {
    "kubectl delete ValidatingWebhookConfiguration redb-admission": { by: ROTATION },
    "sed 's/OPERATOR_NAMESPACE/default/g' deploy/admission/cluster-role.yaml": { by: ROTATION },
    "kubectl delete ValidatingWebhookConfiguration store-enterprise-admission": { by: ROTATION },
  },
  "docs/backups.md": {
    'kubectl patch redb orders --type merge -p \'{"spec":{"backup":{': { by: ASKED },
    "storectl backup schedules orders": { by: ASKED },
    'kubectl patch redb orders --type merge -p \'{"spec":{"backup":null': { by: ASKED },
  },
  "docs/kubernetes.md": {
    "kubectl apply -f deploy/bundle.yaml": { by: ROTATION },
    "kubectl patch rec rec": { by: ROTATION },
    "kubectl delete redb --all": { by: ROTATION },
    "kubectl delete pvc,configmap": { by: ROTATION },
    "kubectl create namespace team-a": { by: ROTATION },
  },
  "docs/local-kubernetes.md": { "storectl local up": { by: UPGRADE } },
  "docs/metrics.md": { "password=": { by: UPGRADE } },
  "docs/operations.md": {
    "kubectl get rec,redb": { by: UPGRADE },
    "kubectl logs deployment/store-enterprise-operator": { by: UPGRADE },
    "api() {": { by: UPGRADE },
    "export REDISCLI_AUTH": { by: UPGRADE },
    "kubectl delete pod rec-1": { by: UPGRADE },
    "storectl license authority": { by: UPGRADE },
    "api /v1/nodes     # `memory`": { by: UPGRADE },
    'kubectl patch rec rec --type merge -p \'{"spec":{"storeEnterpriseNodeResources"': { by: UPGRADE },
    'kubectl patch rec rec --type merge -p \'{"spec":{"persistentSpec"': { by: UPGRADE },
    'kubectl get rec rec -o jsonpath=\'{.status.findings[?(@.id=="DataSetAside")]': { by: UPGRADE },
    "api /v2/modules": { by: UPGRADE },
    "kubectl delete redb --all": { by: UPGRADE },
    "for object in": { by: UPGRADE },
    "kubectl get redb orders -o jsonpath='{.status.clientParameters}'": { by: UPGRADE },
    "kubectl patch secret redb-orders": { by: ROTATION },
    "api /v1/users": { by: UPGRADE },
    "kubectl annotate rec rec storeenterprise.io/rotate-password": { by: ROTATION },
    "kubectl patch secret rec ": { by: ROTATION },
    "kubectl annotate rec rec storeenterprise.io/rotate-authority": { by: ROTATION },
    "storectl local up": { by: UPGRADE },
  },
  "docs/permissions.md": { "storectl role reader": { by: UPGRADE } },
  "docs/security.md": { "kubectl annotate secret shop-settings": { by: UPGRADE } },
  "docs/shards.md": {
    "kubectl apply -f deploy/samples/sharded-database.yaml": { by: UPGRADE },
    "storectl reshape carts 3 --dry-run": { by: UPGRADE },
  },
  "docs/storectl.md": {
    "storectl bundle generate": { by: UPGRADE, except: { "storectl bundle fetch": REMOTE } },
    "source <(storectl completion bash)": {
      by: UPGRADE,
      except: {
        "source <(storectl completion zsh)": "zsh reads it: src/programs/cli/completion has a test of its own",
      },
    },
  },
  "docs/tls.md": {
    'kubectl patch redb orders --type merge -p \'{"spec":{"tls":"enabled"': { by: ROTATION },
    "kubectl get secret redb-orders": {
      by: ROTATION,
      except: { "redis-cli --tls": "this machine does not resolve the name; the page has the line for that" },
    },
    "redis-cli --tls --cacert ca.crt --sni": { by: ROTATION },
    "kubectl create secret generic orders-tls": { by: ROTATION },
    "kubectl create secret generic orders-clients": { by: ROTATION },
  },
  "docs/upgrades.md": {
    "storectl bundle generate 8.2.0-12": { by: UPGRADE },
    'kubectl patch rec rec --type merge -p \'{"spec":{"storeEnterpriseImageSpec"': { by: UPGRADE },
    "kubectl patch redb orders": { by: UPGRADE },
  },
};

const MEASURES = "it measures for minutes, on a quiet machine";
const BUILDS = "it builds for minutes, from what a mirror has";
const REAL = "it starts or needs a real Kubernetes";
const REGISTRY = "it needs a registry";

/** By page and beginning of a block: why no test types it. */
export const NOT_TYPED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": { "npm run demo": "each of them is a run of its own: CI has a job for each" },
  "docs/active-active.md": {
    "npm run soak:sites": "minutes of schedules; each test run plays 5,000 of them, and fewer histories",
  },
  "docs/backups.md": {
    "kubectl create secret generic backup-keys": "it needs a bucket: test/world/backups.test.ts makes the same objects",
    "kubectl apply -f deploy/samples/backup-schedule.yaml":
      "it needs a bucket: test/world/backups.test.ts makes the same object, and types the same",
    "kubectl wait --for=condition=Restorable": "it needs a bucket: test/world/backups.test.ts waits for the same",
    "kubectl apply -f deploy/samples/restore.yaml": "it needs a backup: test/world/restores.test.ts makes the same",
    "storectl restore orders-before-8-0 --into orders-copy --dry-run":
      "it needs a backup: test/world/restores.test.ts types the same",
    "storectl restore orders-before-8-0 --into orders-copy --shards":
      "it needs a backup: test/world/restores-other-shards.test.ts types the same",
    "storectl why redb orders": "the answer is of lost volumes: test/world/drill.test.ts reads the same",
    "aws s3api put-bucket-lifecycle-configuration": "it is a command of AWS, for a bucket there",
    "storectl backup now": "it needs a bucket: test/world/backups.test.ts types the same",
    "curl -u \"$USER:$PASSWORD\" --cacert ca.crt -H 'Content-Type: application/json' -d @backup":
      "it needs an object store: test/scenario/backup.test.ts sends the same",
    'curl -u "$USER:$PASSWORD" --cacert ca.crt -H \'Content-Type: application/json\' -d \'{"name"':
      "it needs a backup: test/scenario/restore.test.ts sends the same",
    "openssl rand -base64 32 > key-1":
      "it needs a bucket: src/programs/operator/backup/begin.test.ts has the same Secret",
    "openssl rand -base64 32 > key-2":
      "it needs a bucket: src/programs/operator/backup/begin.test.ts has the same Secret",
    "sha256sum shard-1.rdb": "it needs a file of a backup: src/programs/agent/node/backups.test.ts loads one",
  },
  "docs/benchmarks.md": {
    "node bench/beside.ts": MEASURES,
    "npm run bench:moves": MEASURES,
    "npm run bench:proxy": MEASURES,
    "npm run bench:growth": MEASURES,
    "npm run bench:shards": MEASURES,
    "npm run bench:reshape": MEASURES,
    "npm run bench:scale": MEASURES,
    "npm run bench:local": MEASURES,
    "npm run bench:links": MEASURES,
    "node bench/tls.ts": MEASURES,
    "npm run bench:crowd -- --slow 1000 --vanished 10000 --tls disabled": MEASURES,
    "npm run bench:crowd -- --slow 1000 --vanished 10000 --tls enabled": MEASURES,
    "node bench/capacity.ts": MEASURES,
    "node bench/merge.ts": MEASURES,
  },
  "docs/compatibility.md": { "npm run releases": BUILDS },
  "docs/helm.md": {
    "helm install": `${REAL} and helm: test/helm/real.test.ts does the same with a release of its own`,
  },
  "docs/kubernetes.md": {
    "npm run images:check": BUILDS,
    "openssl ecparam": BUILDS,
    "kubectl create secret docker-registry": REGISTRY,
    "kubectl run orders-relay": "the local Kubernetes runs no images and offers no port-forward",
    "oc apply": "it needs OpenShift",
    "npm run kube-assets": BUILDS,
    "npm run image:local": REAL,
    "npm run e2e:kubernetes": REAL,
  },
  "docs/metrics.md": {
    "kubectl apply -f deploy/monitoring": "it needs the operator of Prometheus and its definitions",
  },
  "docs/operations.md": {
    "storectl recover":
      "it needs a cluster that has lost most of its nodes: test/world/storectl-lost-nodes.test.ts has one",
  },
  "docs/reliability.md": { "npm run bench:moves": MEASURES, "npm run bench:hang": MEASURES },
  "docs/specification.md": { "npm run kube-assets": BUILDS },
  "docs/upgrades.md": {
    'kubectl patch rec rec --type merge -p \'{"spec":{"upgradeSpec"':
      "it needs nodes of a version that no release contains: test/specification/versions.test.ts has the rule",
  },
  "docs/moving.md": {
    "kubectl create secret generic old-redis":
      "it needs a service outside: src/programs/cli/migrate/migrate.test.ts types the same at one",
    "storectl migrate rediss://redis.example.com:6379 orders --secret old-redis --ca ca.pem --check":
      "it needs a service outside: src/programs/cli/migrate/migrate.test.ts types the same at one",
    "storectl migrate rediss://redis.example.com:6379 orders --secret old-redis --ca ca.pem\n":
      "it needs a service outside: src/programs/cli/migrate/migrate.test.ts types the same at one",
  },
  "docs/storectl.md": { "export PATH": "it has a placeholder for the command; the README has the first line" },
};
