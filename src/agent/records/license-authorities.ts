import { LICENSE_AUTHORITIES } from "../../api/license.ts";
import { ConfigMaps } from "../../kube/builtin.ts";
import { startInformer, type InformerOptions } from "../../kube/informer.ts";
import type { Kube } from "../../kube/kube.ts";

/** The public keys that may sign licences, as the namespace names them now. */
export interface LicenseAuthorities {
  readonly synced: Promise<void>;
  /** PEM; none while the ConfigMap is not there. */
  keys(): readonly string[];
}

/** Follows the ConfigMap of the licence authorities. */
export function followLicenseAuthorities(
  options: InformerOptions & { readonly kube: Kube; readonly namespace: string },
): LicenseAuthorities {
  const { kube, namespace, clock, log, signal } = options;
  const fieldSelector = `metadata.name=${LICENSE_AUTHORITIES}`;
  const informer = startInformer(kube, ConfigMaps, { namespace, fieldSelector, clock, log, signal });
  return {
    synced: informer.synced,
    keys: () => informer.list().flatMap(({ data }) => Object.values(data ?? {})),
  };
}
