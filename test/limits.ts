/** Files that may take longer than the DEFAULT_LIMIT_SECONDS of `budgets.ts`, and why. */
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
  "test/compatibility/between.test.ts": { seconds: 900, why: "the same from each release between, in turn" },
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
  "test/scenario/linearizable.test.ts": { seconds: 900, why: "clients in other languages are built the first time" },
  "test/scenario/client-ends.test.ts": { seconds: 1500, why: "clients in other languages are built the first time" },
  "test/scenario/client-moves.test.ts": { seconds: 1500, why: "clients in other languages are built the first time" },
  "test/scenario/chaos-seeds.test.ts": { seconds: 600, why: "a cluster that does not heal is given its time, twice" },
};
