import { StateMachine, type Transitions } from "#kit/base/state-machine";

/** How far a session is on its way to its end. */
export type LifeState =
  | "open"
  /** It goes on until no transaction is open. */
  | "draining"
  /** It ends at the next boundary between requests. */
  | "finishing"
  /** FIN was sent, and what still arrives is discarded. */
  | "closing"
  | "closed";

/** What brings a session nearer to its end. */
export type LifeEvent =
  | "drain"
  | "finish"
  /** Nothing is pending any more: the last reply and FIN are sent. */
  | "send-fin"
  /** The connection is gone. */
  | "close";

/**
 * The way of a session to its end. What has no arrow changes nothing.
 *
 *     open --drain--> draining --finish--> finishing --send-fin--> closing
 *     open --finish--> finishing
 *     any --close--> closed
 */
export const LIFE_TRANSITIONS: Transitions<LifeState, LifeEvent> = {
  open: { drain: "draining", finish: "finishing", close: "closed" },
  draining: { finish: "finishing", close: "closed" },
  finishing: { "send-fin": "closing", close: "closed" },
  closing: { close: "closed" },
  closed: {},
};

/** The state of a session that has just begun. */
export function lifeMachine(): StateMachine<LifeState, LifeEvent> {
  return new StateMachine(LIFE_TRANSITIONS, "open");
}
