import type { EndpointStats } from "../../../../ports/management/proxy-control.ts";
import type { MetricValues } from "./metrics.ts";

/** A number of an endpoint: its name at `/metrics`, and in the answers of `stats`, where those of several endpoints are added up. */
interface EndpointNumber {
  readonly stat: string;
  readonly of: (stats: EndpointStats) => number | undefined;
}

/** What endpoints count, by the names of docs/metrics.md. */
export const ENDPOINT_NUMBERS = {
  store_endpoint_connections: { stat: "conns", of: ({ clients }) => clients },
  store_endpoint_own_connections: { stat: "own_conns", of: ({ counted }) => counted?.pins },
  store_endpoint_in_flight: { stat: "in_flight", of: ({ inFlight }) => inFlight },
  store_endpoint_requests_total: { stat: "requests_total", of: ({ requests }) => requests },
  store_endpoint_received_bytes_total: { stat: "ingress_bytes_total", of: ({ counted }) => counted?.receivedBytes },
  store_endpoint_sent_bytes_total: { stat: "egress_bytes_total", of: ({ counted }) => counted?.sentBytes },
  store_endpoint_errors_total: { stat: "errors_total", of: ({ counted }) => counted?.errors },
  store_endpoint_cut_total: { stat: "cut_total", of: ({ cut }) => cut },
  store_endpoint_resent_total: { stat: "resent_total", of: ({ resent }) => resent },
  store_endpoint_moved_total: { stat: "moved_total", of: ({ counted }) => counted?.moved },
  store_endpoint_forwarded_total: { stat: "forwarded_total", of: ({ counted }) => counted?.forwarded },
  store_endpoint_holds_expired_total: { stat: "holds_expired_total", of: ({ holdsExpired }) => holdsExpired },
} as const satisfies Record<string, EndpointNumber>;

/** The names of the metrics of an endpoint in the answers of `stats`. */
export const ENDPOINT_METRICS: readonly string[] = Object.values(ENDPOINT_NUMBERS).map(({ stat }) => stat);

/** The metrics of a node without an endpoint. */
export const NO_ENDPOINT: MetricValues = Object.fromEntries(ENDPOINT_METRICS.map((stat) => [stat, 0]));

/** The metrics of one endpoint; a node of a release before 0.4.0 does not have them all. */
export function endpointMetrics(stats: EndpointStats): MetricValues {
  const known = Object.values(ENDPOINT_NUMBERS).flatMap(({ stat, of }) => {
    const value = of(stats);
    return value === undefined ? [] : [[stat, value] as const];
  });
  return Object.fromEntries(known);
}
