// The time that each test file may take, and what `npm test` runs: docs/testing.md.

/** How long a test file may take. */
export interface Budget {
  /** What it takes at most on a quiet machine with two cores while two other files run. A file that takes longer is reported. */
  readonly seconds: number;
  /** After this time it is killed, and has failed. */
  readonly limitSeconds: number;
}

/** `npm test` runs the files with a budget up to this, and those of ALWAYS. */
export const QUICK_SECONDS = 20;

/** Of a file that is not in the table. */
export const DEFAULT_SECONDS = 3;

/** Of a file that is not in LIMITS: some machines are three times as slow as the one of the budgets. */
export const DEFAULT_LIMIT_SECONDS = 300;

/** Files with a budget of their own, the largest first. */
export const SECONDS: Readonly<Record<string, number>> = {
  "test/scenario/frozen/cr.test.ts": 160,
  "test/scenario/frozen/api.test.ts": 160,
  "test/scenario/active-active.test.ts": 160,
  "test/scenario/volumes.test.ts": 100,
  "test/scenario/frozen/killed-late.test.ts": 100,
  "test/scenario/active-active-authority.test.ts": 90,
  "test/scenario/active-active-data.test.ts": 80,
  "test/scenario/active-active-seeds.test.ts": 80,
  "test/scenario/active-active-lost.test.ts": 80,
  "test/conformance/kube.test.ts": 70,
  "test/scenario/at-rest.test.ts": 70,
  "test/scenario/frozen/killed-early.test.ts": 70,
  "test/scenario/frozen/storectl.test.ts": 70,
  "test/scenario/lost-nodes.test.ts": 70,
  "test/scenario/tls-objects.test.ts": 70,
  "test/scenario/authority.test.ts": 60,
  "test/scenario/cluster-password.test.ts": 60,
  "test/scenario/capture-upgrade.test.ts": 60,
  "src/programs/proxy/endpoint/vanished-clients.test.ts": 60,
  "src/programs/proxy/endpoint/crowd.test.ts": 60,
  "src/programs/proxy/endpoint/memory.test.ts": 60,
  "test/scenario/chaos.test.ts": 60,
  "test/scenario/chaos-seeds.test.ts": 60,
  "test/scenario/passwords.test.ts": 60,
  "test/scenario/engine-password.test.ts": 60,
  "test/admission/self-care.test.ts": 60,
  "test/kubernetes/cluster.test.ts": 60,
  "test/compatibility/oldest.test.ts": 60,
  "test/compatibility/previous.test.ts": 60,
  "test/compatibility/mixed-passwords.test.ts": 60,
  "test/compatibility/mixed-authority.test.ts": 60,
  "test/compatibility/mixed-access.test.ts": 60,
  "test/scenario/by-hand.test.ts": 60,
  "test/scenario/recovery.test.ts": 60,
  "test/scenario/walk.test.ts": 60,
  "test/scenario/active-active-walk.test.ts": 60,
  "test/scenario/endless-script.test.ts": 60,
  "test/world/storectl-inside.test.ts": 60,
  "test/world/storectl-recover.test.ts": 60,
  "test/world/storectl-lost-nodes.test.ts": 60,
  "test/scenario/sync.test.ts": 60,
  "test/scenario/linearizable-crashes.test.ts": 60,
  "src/programs/agent/switchover/switchover.test.ts": 50,
  "test/images/images.test.ts": 50,
  "test/scenario/faults.test.ts": 50,
  "test/scenario/edits.test.ts": 50,
  "test/watched/real.test.ts": 50,
  "test/world/restart.test.ts": 50,
  "test/scenario/api-away.test.ts": 50,
  "test/scenario/linearizable.test.ts": 50,
  "test/world/storectl-look.test.ts": 50,
  "test/bundle/real.test.ts": 40,
  "test/compatibility/real.test.ts": 40,
  "test/permissions/real.test.ts": 40,
  "test/scenario/absence.test.ts": 40,
  "test/scenario/capacity.test.ts": 40,
  "test/scenario/agents.test.ts": 40,
  "test/world/storectl-upgrade.test.ts": 40,
  "test/scenario/missing-package.test.ts": 40,
  "test/scenario/full-volume.test.ts": 40,
  "test/scenario/frozen-node.test.ts": 40,
  "src/programs/link/joining.test.ts": 40,
  "test/scenario/config-set.test.ts": 40,
  "test/scenario/unanswered.test.ts": 40,
  "test/scenario/engine-tls.test.ts": 30,
  "test/scenario/capture.test.ts": 30,
  "test/kubectl/write.test.ts": 30,
  "test/kubernetes/control-plane.test.ts": 30,
  "test/readme.test.ts": 30,
  "test/scenario/in-sync.test.ts": 30,
  "test/scenario/lost-data.test.ts": 30,
  "test/scenario/image-digest.test.ts": 30,
  "test/watched/embedded.test.ts": 30,
  "test/world/storectl-local.test.ts": 30,
  "src/programs/agent/members/take-over.test.ts": 30,
  "src/programs/agent/switchover/siblings.test.ts": 30,
  "test/permissions/embedded.test.ts": 30,
  "test/kubectl/read.test.ts": 30,
  "test/kubectl/versions.test.ts": 30,
  "test/scenario/users.test.ts": 30,
  "test/world/storectl-support.test.ts": 30,
  "test/compatibility/contracts.test.ts": 30,
  "test/fuzz/certificates.test.ts": 30,
  "test/kubectl/refusals.test.ts": 30,
  "test/bundle/embedded.test.ts": 30,
  "test/scenario/clients.test.ts": 30,
  "test/scenario/scripts.test.ts": 30,
  "test/scenario/own-secrets.test.ts": 30,
  "src/programs/link/link.test.ts": 30,
  "src/programs/link/wait-for-sites.test.ts": 30,
  "src/programs/link/transport/listener.test.ts": 20,
  "src/programs/agent/switchover/verify-large.test.ts": 20,
  "src/programs/link/away.test.ts": 20,
  "src/programs/link/large-values.test.ts": 20,
  "src/mechanisms/supervisor/primary-start.test.ts": 20,
  "src/core/planner/cluster/orders.test.ts": 20,
  "test/scenario/bundled-modules.test.ts": 20,
  "src/programs/proxy/endpoint/listeners-memory.test.ts": 20,
  "test/scenario/network-policy.test.ts": 20,
  "test/scenario/engine-ports.test.ts": 20,
  "test/images/check.test.ts": 20,
  "test/scenario/packaged-module.test.ts": 20,
  "test/fuzz/pipelines.test.ts": 20,
  "test/fuzz/management.test.ts": 20,
  "test/fuzz/records.test.ts": 20,
  "src/programs/agent/api/auth.test.ts": 20,
  "src/programs/proxy/endpoint/tls.test.ts": 20,
  "test/scenario/tls.test.ts": 20,
  "src/programs/proxy/endpoint/strangers.test.ts": 20,
  "src/programs/proxy/upstream/peer-watch.test.ts": 20,
  "src/programs/proxy/session/as-engines-answer.test.ts": 20,
  "src/programs/link/anew.test.ts": 18,
  "test/scenario/engine-without-tls.test.ts": 15,
  "src/programs/link/resume-from-file.test.ts": 15,
  "src/programs/agent/node/grants.test.ts": 15,
  "test/admission/by-hand.test.ts": 15,
  "test/helm/real.test.ts": 15,
  "test/scenario/management-api.test.ts": 15,
  "test/scenario/creation.test.ts": 15,
  "test/scenario/modules.test.ts": 15,
  "test/scenario/module-attempts.test.ts": 15,
  "test/scenario/module-form.test.ts": 15,
  "test/scenario/database-secret.test.ts": 15,
  "test/scenario/database-binding.test.ts": 15,
  "test/scenario/database-identity.test.ts": 15,
  "test/unprivileged/real.test.ts": 15,
  "src/programs/agent/members/node-lease.test.ts": 15,
  "test/images/module-packages.test.ts": 15,
  "src/programs/proxy/endpoint/slow-readers.test.ts": 15,
  "src/programs/webhook/server.test.ts": 15,
  "src/programs/agent/api/server.test.ts": 15,
  "src/programs/operator/process/health.test.ts": 15,
  "src/programs/operator/events-after-death.test.ts": 15,
  "src/programs/proxy/endpoint/endless-script.test.ts": 15,
  "src/programs/proxy/switchover/sync-replies.test.ts": 15,
  "src/programs/agent/node/sync-replies.test.ts": 15,
  "src/programs/agent/node/proxy.test.ts": 15,
  "test/scenario/deploy-tools.test.ts": 12,
  "test/scenario/engine-user.test.ts": 10,
  "test/scenario/starter.test.ts": 10,
  "src/programs/proxy/endpoint/moving.test.ts": 10,
  "src/programs/proxy/endpoint/counts.test.ts": 10,
  "src/programs/agent/switchover/failover.test.ts": 10,
  "src/programs/agent/switchover/verify.test.ts": 10,
  "src/programs/agent/switchover/holds.test.ts": 10,
  "src/programs/agent/switchover/obstacles.test.ts": 10,
  "src/programs/proxy/session/upload.test.ts": 10,
  "src/programs/proxy/switchover/sync-classes.test.ts": 10,
  "test/admission/real.test.ts": 10,
  "test/scenario/license.test.ts": 10,
  "test/scenario/public-client.test.ts": 10,
  "src/mechanisms/reconcile/leader.test.ts": 10,
  "src/bin/operator.test.ts": 10,
  "src/core/merge/properties.test.ts": 10,
  "src/programs/link/successor.test.ts": 10,
  "test/bench-command-line.test.ts": 8,
  "src/local-kubernetes/apiserver/watch.test.ts": 8,
  "src/local-kubernetes/controllers/deployment/deployment.test.ts": 8,
  "src/ports/kube/informer-reconnect.test.ts": 8,
  "src/programs/proxy/endpoint/drain.test.ts": 8,
  "src/programs/proxy/session/sites.test.ts": 8,
  "src/programs/proxy/session/isolation.test.ts": 8,
  "src/programs/proxy/endpoint/limits.test.ts": 8,
  "src/programs/proxy/switchover/failure.test.ts": 8,
  "src/programs/proxy/switchover/lease.test.ts": 8,
  "test/specification/versions.test.ts": 8,
  "test/fuzz/archives.test.ts": 8,
  "test/world/pods.test.ts": 8,
  "test/world/workloads.test.ts": 8,
  "src/mechanisms/supervisor/engine-tls.test.ts": 8,
  "src/mechanisms/supervisor/engine-log.test.ts": 8,
  "src/mechanisms/supervisor/instances.test.ts": 8,
  "src/local-kubernetes/controllers/statefulset/statefulset.test.ts": 5,
  "src/ports/management/client.test.ts": 5,
  "src/programs/agent/members/peers.test.ts": 5,
  "src/programs/cli/site/installed-operator.test.ts": 5,
  "src/programs/operator/operator.test.ts": 5,
  "src/programs/operator/placement.test.ts": 5,
  "src/programs/proxy/endpoint/endpoint.test.ts": 5,
  "src/programs/proxy/session/login.test.ts": 5,
  "src/programs/proxy/switchover/quiet.test.ts": 5,
  "test/specification/digests.test.ts": 5,
  "test/glossary.test.ts": 5,
  "src/programs/proxy/session/long-commands.test.ts": 5,
  "src/core/planner/upgrade-path/plan.property.test.ts": 4,
  "src/local-kubernetes/controllers/controllers.test.ts": 4,
  "src/programs/operator/teardown/teardown.test.ts": 4,
  "src/programs/proxy/session/awaited-sites.test.ts": 4,
  "src/programs/proxy/session/scripts.test.ts": 4,
  "src/programs/proxy/session/sessions.test.ts": 4,
};

/** Files above QUICK_SECONDS that `npm test` runs all the same, and why. */
export const ALWAYS: Readonly<Record<string, string>> = {
  "src/programs/agent/switchover/switchover.test.ts": "every failure of a change of primary, the heart of the product",
  "test/readme.test.ts": "what a reader of the README types first",
  "test/scenario/walk.test.ts": "operator, cluster and database are upgraded under load",
};

/** Files that may take longer than DEFAULT_LIMIT_SECONDS, and why. */
export const LIMITS: Readonly<Record<string, { readonly seconds: number; readonly why: string }>> = {
  "test/scenario/frozen/api.test.ts": { seconds: 840, why: "a cluster walks through nine releases" },
  "test/scenario/frozen/cr.test.ts": { seconds: 840, why: "a cluster walks through nine releases" },
  "test/scenario/frozen/killed-early.test.ts": { seconds: 480, why: "six causes, the operator killed at each" },
  "test/scenario/frozen/killed-late.test.ts": { seconds: 600, why: "seven causes, the operator killed at each" },
  "test/scenario/frozen/storectl.test.ts": { seconds: 480, why: "three causes, cleared by a real storectl" },
  "test/scenario/by-hand.test.ts": { seconds: 480, why: "the whole procedure, each command in a process of its own" },
  "test/scenario/lost-nodes.test.ts": { seconds: 480, why: "nodes are lost twice, the operator is killed four times" },
  "test/scenario/tls-objects.test.ts": {
    seconds: 480,
    why: "a cluster is upgraded, and each TLS mode is walked through",
  },
  "test/scenario/active-active-lost.test.ts": { seconds: 480, why: "two clusters, and one loses its primary twice" },
  "test/scenario/volumes.test.ts": { seconds: 480, why: "volumes grow, and a cluster is upgraded" },
  "test/scenario/active-active-data.test.ts": {
    seconds: 480,
    why: "two clusters, whose nodes and primaries are replaced",
  },
  "test/scenario/active-active-authority.test.ts": {
    seconds: 600,
    why: "two clusters, and an operator that reads the Secrets of others once a minute",
  },
  "test/scenario/active-active.test.ts": { seconds: 840, why: "three clusters, one of which is upgraded" },
  "test/scenario/capture-upgrade.test.ts": { seconds: 480, why: "operator, cluster and database are upgraded" },
  "test/images/images.test.ts": { seconds: 480, why: "it makes each layer of the images twice" },
  "test/conformance/kube.test.ts": { seconds: 480, why: "every rule, on the embedded and on a real Kubernetes" },
  "test/compatibility/oldest.test.ts": {
    seconds: 600,
    why: "the operator goes forward, back and forward, then all of it",
  },
  "test/compatibility/previous.test.ts": { seconds: 600, why: "the same from another release" },
  "test/compatibility/mixed-passwords.test.ts": {
    seconds: 600,
    why: "a roll that stands half-way, from the oldest release",
  },
  "test/compatibility/mixed-authority.test.ts": { seconds: 600, why: "the same roll" },
  "test/compatibility/mixed-access.test.ts": { seconds: 600, why: "the same roll" },
  "test/scenario/at-rest.test.ts": { seconds: 480, why: "it watches a settled world for a while" },
  "test/scenario/active-active-seeds.test.ts": {
    seconds: 1500,
    why: "sites that do not come to the same are given their time, and there are eight seeds",
  },
  "test/scenario/chaos-seeds.test.ts": { seconds: 600, why: "a cluster that does not heal is given its time, twice" },
};

/** Variables that make a test longer than it is in CI: who sets one waits as long as a test takes, up to LONG_SECONDS. */
const LENGTHENED_BY: readonly string[] = [
  ...["FUZZ_PIPELINES", "FUZZ_REQUESTS", "FUZZ_RECORDS", "FUZZ_CERTIFICATES", "FUZZ_ARCHIVES"],
  ...["MOVES", "CRASHES", "FREEZE_ROUNDS", "CHAOS_SEEDS", "SITES_SEEDS"],
  ...["LINK_WRITES", "MERGE_SCHEDULES", "MERGE_HISTORIES", "OLDER_RELEASES"],
];
const LONG_SECONDS = 86_400;

/** How many seconds a file gets with these variables before it is killed. */
export function limitOf(file: string, variables: NodeJS.ProcessEnv): number {
  const isLonger = LENGTHENED_BY.some((name) => variables[name] !== undefined);
  return isLonger ? LONG_SECONDS : budgetOf(file).limitSeconds;
}

/** The budget of a file, by its path from the root of the repository. */
export function budgetOf(file: string): Budget {
  return {
    seconds: SECONDS[file] ?? DEFAULT_SECONDS,
    limitSeconds: LIMITS[file]?.seconds ?? DEFAULT_LIMIT_SECONDS,
  };
}

/** Whether `npm test` runs the file. */
export function isQuick(file: string): boolean {
  return budgetOf(file).seconds <= QUICK_SECONDS || file in ALWAYS;
}
