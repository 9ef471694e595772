import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import type { Clock } from "../base/clock.ts";
import { isFault } from "../base/fault.ts";
import { Leases } from "../kube/builtin.ts";
import { faults } from "../kube/faults.ts";
import type { Kube, Ref, RequestOptions, Stored } from "../kube/kube.ts";
import { durationMs, firstTerm, releaseLease, renewLease, takenOver, type Tenant } from "./leader-term.ts";

export interface ElectionOptions extends Tenant {
  readonly kube: Kube;
  readonly lease: Ref & { readonly namespace: string };
  /** Labels of the Lease when it has to be made. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The Lease goes when this does; written whenever the Lease gets a holder. */
  readonly owner?: OwnerReference;
  readonly clock: Clock;
}

/** A request for a Lease may take a quarter of its length: a connection that hangs leaves time for another attempt. */
const DEADLINE_SHARE = 4;

/** One candidate's view of a Lease. Clocks of different machines are never compared: silence is measured on the own one. */
export class Election {
  readonly #options: ElectionOptions;
  #held: Stored<Lease> | undefined;
  #seen: { readonly version: string; readonly at: number } | undefined;
  readonly #within: RequestOptions;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#within = { deadlineMs: options.leaseMs / DEADLINE_SHARE };
  }

  /** Takes the Lease when it is free, the own one, or its holder has been silent for too long; false otherwise. */
  async tryAcquire(): Promise<boolean> {
    const { kube, lease, clock } = this.#options;
    const current = await kube.get(Leases, lease, this.#within);
    if (current !== undefined && !this.#isFree(current)) return false;
    const now = clock.now();
    const { labels, owner } = this.#options;
    const ownership = owner === undefined ? {} : { ownerReferences: [owner] };
    return this.#write(() =>
      current === undefined
        ? kube.create(
            Leases,
            firstTerm({ ...lease, labels: { ...labels }, ...ownership }, this.#options, now),
            this.#within,
          )
        : kube.update(
            Leases,
            takenOver({ ...current, metadata: { ...current.metadata, ...ownership } }, this.#options, now),
            this.#within,
          ),
    );
  }

  /** Renews the Lease; false when another holder has it. */
  async renew(): Promise<boolean> {
    const { kube, lease, clock, identity } = this.#options;
    const held = this.#held;
    if (
      held !== undefined &&
      (await this.#write(() => kube.update(Leases, renewLease(held, this.#options, clock.now()), this.#within)))
    )
      return true;
    const current = await kube.get(Leases, lease, this.#within);
    if (current === undefined) return this.tryAcquire(); // deleted by hand
    if (current.spec?.holderIdentity !== identity) return false;
    this.#held = current; // edited by another writer, for instance its labels
    return this.#write(() => kube.update(Leases, renewLease(current, this.#options, clock.now()), this.#within));
  }

  /** Lets the Lease go, so that the next candidate need not wait. */
  async release(): Promise<void> {
    const { kube, clock } = this.#options;
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) await this.#write(() => kube.update(Leases, releaseLease(held, clock.now()), this.#within));
  }

  #isFree(current: Stored<Lease>): boolean {
    const now = this.#options.clock.uptimeMs();
    const version = current.metadata.resourceVersion;
    if (this.#seen?.version !== version) this.#seen = { version, at: now };
    const holder = current.spec?.holderIdentity ?? "";
    return holder === "" || holder === this.#options.identity || now - this.#seen.at >= durationMs(current);
  }

  /** False when another writer was faster or the Lease is gone. */
  async #write(write: () => Promise<Stored<Lease>>): Promise<boolean> {
    try {
      this.#held = await write();
      return true;
    } catch (error) {
      const isLost = [faults.conflict, faults.alreadyExists, faults.notFound].some((spec) => isFault(error, spec));
      if (isLost) return false;
      throw error;
    }
  }
}
