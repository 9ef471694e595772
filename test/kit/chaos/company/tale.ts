import type { Answered, Step } from "../stories/story.ts";

/** What the members of one company did together, in the order in which their process saw it. */
export interface Tale {
  /** Of its company, and the beginning of its keys and channels. */
  readonly name: string;
  readonly events: readonly Happening[];
}

export type Happening = Asked | Pushed | Ended;

/** A request and its answer. */
export interface Asked extends Step, ByMember {
  readonly kind: "asked";
}

/** A message that answers no request; times as in Step. */
export interface Pushed extends ByMember {
  readonly kind: "pushed";
  readonly at: number;
  readonly values: readonly Answered[];
}

/** The connection is over. */
export interface Ended extends ByMember {
  readonly kind: "ended";
  readonly at: number;
}

interface ByMember {
  readonly member: string;
  /** Which connection of all members: each has another one. */
  readonly connection: string;
}
