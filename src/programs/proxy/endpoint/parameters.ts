import type { Clock } from "#kit/base/clock";
import type { ParametersOutcome, ParametersRequest } from "../../../ports/management/parameters-question.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { clientLimit } from "../limits/client-limit.ts";
import { shownParameters } from "../session/config-view.ts";
import { ParameterWrites } from "../session/parameter-writes.ts";
import type { SessionEndpoint } from "../session/session-endpoint.ts";

/** Has the agent keep parameters of clients in the record of the database; undefined when it does not answer in time. */
export type KeepParameters = (request: ParametersRequest) => Promise<ParametersOutcome | undefined>;

/** Parameters that an endpoint knows better than its engine, for CONFIG GET. */
export function ownParameters(config: EndpointConfig): ReadonlyMap<string, string> {
  const { host, port } = config.listen;
  return new Map([
    ["bind", host],
    ["port", String(port)],
    ["lua-time-limit", String(config.scriptLimitMs)],
    ["busy-reply-threshold", String(config.scriptLimitMs)],
    ["maxclients", String(clientLimit(config))],
  ]);
}

/** CONFIG SET of the clients of an endpoint. */
export function parameterWrites(
  endpoint: Pick<SessionEndpoint, "routes" | "ownParameters">,
  { clock, keepParameters }: { readonly clock: Clock; readonly keepParameters: KeepParameters },
  config: () => EndpointConfig,
): ParameterWrites {
  return new ParameterWrites({
    clock,
    recorded: () => config().parameters,
    shown: (names) => shownParameters(endpoint, names),
    keep: (parameters, clients) => keepParameters({ bdb: config().bdb, parameters, clients }),
  });
}
