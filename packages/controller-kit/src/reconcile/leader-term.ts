import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { Stored, Wanted } from "../kube/kube.ts";
import { microTimestamp } from "../kube/timestamp.ts";

/** The program that wants to hold a Lease, and for how long without renewing it. */
export interface Tenant {
  readonly identity: string;
  readonly leaseMs: number;
}

/** A new Lease, held by `tenant`. */
export function firstTerm(metadata: Wanted<Lease>["metadata"], tenant: Tenant, now: Date): Wanted<Lease> {
  return { metadata, spec: { ...termsOf(tenant, now), acquireTime: microTimestamp(now), leaseTransitions: 0 } };
}

/** The Lease with `tenant` as its new holder. */
export function takenOver(lease: Stored<Lease>, tenant: Tenant, now: Date): Stored<Lease> {
  const isNew = lease.spec?.holderIdentity !== tenant.identity;
  const leaseTransitions = (lease.spec?.leaseTransitions ?? 0) + (isNew ? 1 : 0);
  return {
    ...lease,
    spec: { ...lease.spec, ...termsOf(tenant, now), acquireTime: microTimestamp(now), leaseTransitions },
  };
}

/** The Lease, held on. */
export function renewLease(lease: Stored<Lease>, tenant: Tenant, now: Date): Stored<Lease> {
  return { ...lease, spec: { ...lease.spec, ...termsOf(tenant, now) } };
}

/** The Lease without a holder. */
export function releaseLease(lease: Stored<Lease>, now: Date): Stored<Lease> {
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTimestamp(now) },
  };
}

/** How long the holder may stay silent, in milliseconds. */
export function durationMs(lease: Stored<Lease>): number {
  return (lease.spec?.leaseDurationSeconds ?? 0) * 1000;
}

function termsOf({ identity, leaseMs }: Tenant, now: Date): NonNullable<Lease["spec"]> {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    renewTime: microTimestamp(now),
  };
}
