import type { Lease } from "kubernetes-types/coordination/v1.js";
import { NODE_LEASE_MS } from "../../../core/planner/node/grant.ts";
import type { Stored } from "#kit/kube/kube";
import { REPORT_ANNOTATION, parseNodeReport } from "./node-report.ts";
import type { NodeReport } from "./node-report.ts";

/** The Lease of a node as this process last saw it. */
export interface ObservedLease {
  readonly uid: number;
  readonly annotation: string;
  readonly report: NodeReport;
  readonly renewTime: string;
  /** False once the node has released its lease: it has ended in good order. */
  readonly held: boolean;
  /** How many processes have acted for the node. */
  readonly transitions: number;
  /** When the lease was renewed, in milliseconds of the steady clock of this process, so that clocks of nodes need not agree. */
  readonly renewedAt: number;
  /** As `renewedAt`; for a renewal older than this process, when this process saw it first. */
  readonly seenAt: number;
}

/** The times of an observation, in milliseconds: by the wall clock and by the steady clock. */
export interface ObservedAt {
  readonly wallMs: number;
  readonly steadyMs: number;
}

/** The state of a Lease, given the one before; undefined when its report cannot be read. */
export function observeLease(
  uid: number,
  lease: Stored<Lease>,
  before: ObservedLease | undefined,
  { wallMs, steadyMs }: ObservedAt,
): ObservedLease | undefined {
  const annotation = lease.metadata.annotations?.[REPORT_ANNOTATION] ?? "";
  const report = annotation === before?.annotation ? before.report : parseNodeReport(annotation);
  if (report === undefined) return undefined;
  const renewTime = renewTimeOf(lease);
  const held = (lease.spec?.holderIdentity ?? "") !== "";
  const same = { uid, annotation, report, renewTime, held, transitions: lease.spec?.leaseTransitions ?? 0 };
  if (before?.renewTime === renewTime) return { ...same, renewedAt: before.renewedAt, seenAt: before.seenAt };
  const renewedAt = before === undefined ? steadyMs - ageOf(lease, wallMs) : steadyMs;
  return { ...same, renewedAt, seenAt: steadyMs };
}

/** The time of the last renewal as the Lease has it; empty when it has none. */
export function renewTimeOf(lease: Stored<Lease>): string {
  return String(lease.spec?.renewTime ?? "");
}

/** A lease that ran out long ago must not look fresh to a process that has just started. */
function ageOf(lease: Stored<Lease>, wallMs: number): number {
  const renewed = Date.parse(renewTimeOf(lease));
  return Number.isNaN(renewed) ? NODE_LEASE_MS : Math.min(10 * 86_400_000, Math.max(0, wallMs - renewed));
}
