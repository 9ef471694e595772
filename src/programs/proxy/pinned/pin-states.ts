import { StateMachine, type Transitions } from "#kit/base/state-machine";

/** Where a pinned session is, between its client and the engines. */
export type PinState =
  /** It has a connection to an engine, and takes requests for it. */
  | "attached"
  /** Only the engine's role says whether its last reply counts: what arrives behind that reply is kept. */
  | "asking"
  /** The engine runs a script, and has executed nothing: the requests are sent again soon, on the same connection. */
  | "waiting"
  /** Another engine is the primary. What was sent to this one is answered first, until a deadline. */
  | "leaving"
  /** As `asking`, at an engine that is the primary no more. */
  | "asking-last"
  /** It has no connection: its state and what was not executed go to the next primary. */
  | "searching"
  /** The session does not need it any more, or has ended. */
  | "ended";

/** What changes where a pinned session is. */
export type PinEvent =
  /** A reply has arrived that only the engine's role can explain. */
  | "ask"
  /** It is known whether that reply counts. */
  | "decide"
  /** A script has kept all that was sent from being executed, and another attempt may follow. */
  | "meet-script"
  /** The time until that attempt is over. */
  | "repeat"
  /** The endpoint has another primary, and something is still at this engine. */
  | "change-primary"
  /** Nothing is at the engine, and the session goes on at another connection. */
  | "depart"
  /** The connection has ended. */
  | "lose-engine"
  /** The session's state is in place at the next engine. */
  | "arrive"
  | "end";

/**
 * The way of a pinned session. What arrives behind the end, and what has no arrow, changes nothing.
 *
 *     attached --ask--> asking --decide--> attached
 *     attached --meet-script--> waiting --repeat--> attached
 *     attached --change-primary--> leaving --ask--> asking-last --decide--> leaving
 *     asking --change-primary--> asking-last
 *     attached, waiting, leaving --depart, lose-engine--> searching --arrive--> attached
 *     any --end--> ended
 */
export const PIN_TRANSITIONS: Transitions<PinState, PinEvent> = {
  attached: {
    ask: "asking",
    "meet-script": "waiting",
    "change-primary": "leaving",
    depart: "searching",
    "lose-engine": "searching",
    end: "ended",
  },
  asking: { decide: "attached", "change-primary": "asking-last", end: "ended" },
  waiting: { repeat: "attached", depart: "searching", "lose-engine": "searching", end: "ended" },
  leaving: { ask: "asking-last", depart: "searching", "lose-engine": "searching", end: "ended" },
  "asking-last": { decide: "leaving", end: "ended" },
  searching: { arrive: "attached", end: "ended" },
  ended: {},
};

/** The state of a new pinned session, which has just got its connection. */
export function pinMachine(): StateMachine<PinState, PinEvent> {
  return new StateMachine(PIN_TRANSITIONS, "attached");
}

/** The last reply waits for what the engine says of its role. */
export function isAsking(state: PinState): boolean {
  return state === "asking" || state === "asking-last";
}
