import { StateMachine, type Transitions } from "#kit/base/state-machine";

/** What an endpoint does with clients. */
export type EndpointState =
  /** It accepts none: it has not begun, or has let all go. */
  | "idle"
  /** It accepts clients, as many as its worker may have. */
  | "serving"
  /** It accepts none, and ends those that it has, each at a boundary between requests. */
  | "draining"
  | "closed";

/** What changes that. */
export type EndpointEvent =
  | "serve"
  | "drain"
  /** All clients are gone, or the deadline has come. */
  | "end-drain"
  | "close";

/**
 * The way of an endpoint. What has no arrow changes nothing: a drain of the former way does not end clients that come behind it.
 *
 *     idle --serve--> serving --drain--> draining --end-drain--> idle
 *     idle --drain--> draining --serve--> serving
 *     any --close--> closed
 */
export const ENDPOINT_TRANSITIONS: Transitions<EndpointState, EndpointEvent> = {
  idle: { serve: "serving", drain: "draining", close: "closed" },
  serving: { drain: "draining", close: "closed" },
  draining: { serve: "serving", "end-drain": "idle", close: "closed" },
  closed: {},
};

/** The state of a new endpoint. */
export function endpointMachine(): StateMachine<EndpointState, EndpointEvent> {
  return new StateMachine(ENDPOINT_TRANSITIONS, "idle");
}
