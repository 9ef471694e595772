import { StateMachine, type Transitions } from "#kit/base/state-machine";

/** How far a site is since it was connected to its engine. */
export type OpeningState =
  /** What an earlier link left in the stream comes by once more. */
  | "replaying"
  /** It has what its engine holds, and gets what other sites hold and this one lacks. */
  | "completing"
  /** It takes what other sites send. */
  | "open";

/** What brings a site nearer to being open. */
export type OpeningEvent =
  /** The mark behind all that an earlier link left has come by. */
  | "catch-up"
  /** Nothing of other sites is lacking that has to be here first. */
  | "complete";

/**
 * The way of a site until it takes operations of others. It ends with its signal or with a connection to its engine, from any state, and the next one
 * begins anew.
 *
 *     replaying --catch-up--> completing --complete--> open
 */
export const OPENING_TRANSITIONS: Transitions<OpeningState, OpeningEvent> = {
  replaying: { "catch-up": "completing" },
  completing: { complete: "open" },
  open: {},
};

/** The state of a site that has just been connected. */
export function openingMachine(): StateMachine<OpeningState, OpeningEvent> {
  return new StateMachine(OPENING_TRANSITIONS, "replaying");
}
