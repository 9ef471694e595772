import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { ScriptCarrier } from "./script-carrier.ts";
import { warmUp, type ConnectionsInUse } from "./warm-up.ts";

/** The connections to the primary-to-be of a shard, from when they are prepared until it is the primary or is given up. */
export class NextPrimary {
  #upstream: Upstream | undefined;

  /** Undefined while none is prepared. */
  get upstream(): Upstream | undefined {
    return this.#upstream;
  }

  /** Makes the connections in place of earlier ones; PROXY_TARGET_UNREACHABLE when that fails. */
  async prepare(upstream: Upstream, inUse: ConnectionsInUse, scripts: Pick<ScriptCarrier, "prepare">): Promise<void> {
    this.drop();
    this.#upstream = upstream;
    try {
      await warmUp(upstream, inUse, scripts);
    } catch (error) {
      if (this.#upstream === upstream) this.drop();
      throw error;
    }
  }

  /** Gives the connections away when they are to this engine, and ends them otherwise. */
  take(target: EnginePlace): Upstream | undefined {
    const upstream = this.#upstream;
    this.#upstream = undefined;
    if (upstream?.isAt(target) === true) return upstream;
    upstream?.destroy();
    return undefined;
  }

  /** Ends the connections. */
  drop(): void {
    this.#upstream?.destroy();
    this.#upstream = undefined;
  }
}
