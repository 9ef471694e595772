import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "../faults.ts";
import type { ConnectionSettings } from "../upstream/connection-settings.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { ScriptCarrier } from "./script-carrier.ts";

/** The connections that clients have at the engines of now. */
export interface ConnectionsInUse {
  /** Those that they share. */
  readonly lanes: readonly ConnectionSettings[];
  /** Those that they have for themselves. */
  readonly pins: readonly ConnectionSettings[];
}

/** Makes the same connections to an engine that is to serve, and begins to load the scripts of clients there; PROXY_TARGET_UNREACHABLE when that fails. */
export async function warmUp(
  upstream: Upstream,
  { lanes, pins }: ConnectionsInUse,
  scripts: Pick<ScriptCarrier, "prepare">,
): Promise<void> {
  // until the engine serves, its connections carry messages that it publishes, and no request
  upstream.rounds.require("none");
  try {
    await upstream.warm(lanes);
    await upstream.pins.dialAhead(pins);
    await scripts.prepare(upstream);
  } catch (error) {
    if (error instanceof Fault && error.code === faults.notPrepared.code) throw error;
    const { host, port } = upstream.address;
    const message = `The engine at ${host}:${port} cannot be used: ${messageOf(error)}`;
    throw new Fault(faults.notPrepared, message, {}, error);
  }
}
