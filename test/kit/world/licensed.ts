import { LICENSE_AUTHORITIES } from "../../../src/core/api/license.ts";
import { clusterNames } from "../../../src/core/api/names.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { createLicenseAuthority, signLicense } from "../../../src/ports/management/license.ts";
import { until } from "#kit/testing/until";
import type { TestCluster } from "./cluster.ts";

const DAY_MS = 86_400_000;

/** Gives a cluster a licence for so many shards: the trial has few. */
export async function licenseCluster(
  cluster: TestCluster,
  kube: Kube,
  shards: number,
  withinMs: number,
): Promise<void> {
  const authority = createLicenseAuthority();
  await kube.create(ConfigMaps, {
    metadata: { name: LICENSE_AUTHORITIES, namespace: cluster.namespace },
    data: { "public.pem": authority.publicKey },
  });
  const now = Date.now();
  const terms = {
    cluster_name: clusterNames.dnsName(cluster.rec, cluster.namespace),
    owner: "tests",
    // the dates of nodes may be set while they run
    activation_date: new Date(now - DAY_MS).toISOString(),
    expiration_date: new Date(now + DAY_MS).toISOString(),
    shards_limit: shards,
    features: [],
  };
  const license = signLicense(terms, authority.privateKey);
  const install = () => cluster.client.call("installLicense", { body: { license } });
  await until("the authority of the licence is known", () => install().then(Boolean, () => false), { withinMs });
}
