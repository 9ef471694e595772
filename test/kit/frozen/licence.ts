import { LICENSE_AUTHORITIES, type LicenseTerms } from "../../../src/core/api/license.ts";
import { clusterNames } from "../../../src/core/api/names.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import { createLicenseAuthority, signLicense } from "../../../src/ports/management/license.ts";
import { until } from "#kit/testing/until";
import type { Lane } from "./lane.ts";

const licences = createLicenseAuthority();

/** Makes the authority of these licences known to the cluster of the lane, and lets a licence expire there. */
export async function letLicenceExpire(lane: Lane): Promise<void> {
  const metadata = { name: LICENSE_AUTHORITIES, namespace: lane.namespace };
  await lane.kube.create(ConfigMaps, { metadata, data: { "public.pem": licences.publicKey } });
  const api = await lane.management();
  const install = () => api.call("installLicense", { body: { license: licence(lane, 1_500) } });
  await until("the authority is known", () => install().then(Boolean, () => false), { everyMs: 50 });
  const isOver = async () => (await api.call("license")).state === "Expired";
  await until("the licence is over", isOver, { everyMs: 50 });
}

/** A licence for the cluster of the lane. */
export function licence({ namespace }: Lane, lastsMs = 86_400_000): string {
  const now = Date.now();
  const terms: LicenseTerms = {
    cluster_name: clusterNames.dnsName("rec", namespace),
    owner: "",
    activation_date: new Date(now - 60_000).toISOString(),
    expiration_date: new Date(now + lastsMs).toISOString(),
    shards_limit: 8,
    features: [],
  };
  return signLicense(terms, licences.privateKey);
}
