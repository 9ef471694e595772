import { LICENSE_AUTHORITIES } from "../../../core/api/license.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import { startInformer, type InformerOptions } from "#kit/kube/informer";
import type { Kube } from "#kit/kube/kube";

/** The public keys that may sign licences, as the ConfigMap of the namespace has them now. */
export interface LicenseAuthorities {
  readonly synced: Promise<void>;
  /** PEM; none while the ConfigMap is missing. */
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
