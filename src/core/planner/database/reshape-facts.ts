/** Why copying has ended: the code of the fault, and its sentence. */
export interface CopyFailure {
  readonly code: string;
  readonly why: string;
}

/** What the mover of a database says, and what its node says of it. */
export type MoverFacts =
  /** Its node does not answer. */
  | { readonly state: "unknown" }
  /** It has not begun yet. */
  | { readonly state: "awaited" }
  /** It passes nothing on any more, and what the new shards have is worth nothing. */
  | ({ readonly state: "over" } & CopyFailure)
  | {
      readonly state: "at-work";
      readonly sources: readonly MovedSource[];
      readonly targets: readonly FilledTarget[];
    };

/** A shard that serves, as the mover follows it. */
export interface MovedSource {
  readonly id: number;
  readonly state: "awaited" | "copying" | "following";
  /** What is followed is the present primary, as far as both have said. */
  readonly isCurrent: boolean;
  /** Keys that are to be copied again. */
  readonly touched: number;
}

/** A new shard, as the mover fills it. */
export interface FilledTarget {
  readonly id: number;
  readonly state: "awaited" | "copying" | "loading" | "following" | "over";
  readonly copiedBytes: number;
  /** Bytes of the stream that it has got and not applied yet. */
  readonly lagBytes: number;
}

/** What a decision about another number of shards rests on besides the engines; there while one has begun. */
export interface ReshapeFacts {
  readonly mover: MoverFacts;
  /** Since the attempt to copy began, in milliseconds. */
  readonly attemptMs: number;
  /** The former primaries have been there for long enough after the next table began to serve. */
  readonly mayRetire: boolean;
}
