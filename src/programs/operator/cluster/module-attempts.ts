import type { UserModuleStatus } from "../../../core/api/cluster-status.ts";
import type { Clock } from "#kit/base/clock";
import { attemptDelayMs } from "../../../core/planner/modules/user-modules.ts";

/** What to do about a module that a cluster lacks. */
export type ModuleAttempt = "announce" | "try" | "later";

/** A module that could not be installed is tried again after this long, in milliseconds. */
const RETRY_MS = 2_000;

/** What this process has done about a module. */
interface Tried {
  /** The attempt that was announced. */
  announced?: number;
  /** When it was made last, by the uptime in milliseconds. */
  at?: number;
}

/**
 * When modules are tried. The first attempt of this process is announced in the status, and made once the status has it: an
 * archive that ends the process is then not fetched again at once. Later attempts follow each other after `RETRY_MS`.
 */
export class ModuleAttempts {
  readonly #clock: Pick<Clock, "uptimeMs">;
  readonly #startedAt: number;
  /** By cluster and module: those that the specs list now, since their editors may list others again and again. */
  readonly #tried = new Map<string, Map<string, Tried>>();

  constructor(clock: Pick<Clock, "uptimeMs">) {
    this.#clock = clock;
    this.#startedAt = clock.uptimeMs();
  }

  /** How many modules are remembered. */
  get size(): number {
    return [...this.#tried.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Forgets the modules of a cluster that its spec does not list any more. */
  keepOnly(cluster: string, modules: readonly string[]): void {
    const known = this.#tried.get(cluster);
    for (const module of [...(known?.keys() ?? [])]) if (!modules.includes(module)) known?.delete(module);
    if (known?.size === 0) this.#tried.delete(cluster);
  }

  /** `before`: the status of the module, as it was read back. */
  due(cluster: string, module: string, before: UserModuleStatus | undefined): ModuleAttempt {
    const now = this.#clock.uptimeMs();
    const tried = this.#triedOf(cluster, module);
    if (tried.announced === undefined && now - this.#startedAt < attemptDelayMs(before)) return "later";
    if (tried.announced === undefined || before?.attempts !== tried.announced) {
      tried.announced = (before?.attempts ?? 0) + 1;
      return "announce";
    }
    if (now - (tried.at ?? Number.NEGATIVE_INFINITY) < RETRY_MS) return "later";
    tried.at = now;
    return "try";
  }

  #triedOf(cluster: string, module: string): Tried {
    const ofCluster = this.#tried.get(cluster) ?? new Map<string, Tried>();
    this.#tried.set(cluster, ofCluster);
    const tried = ofCluster.get(module) ?? {};
    ofCluster.set(module, tried);
    return tried;
  }
}
