/** What puts requests on a lane and gets the replies. */
export interface Requester {
  /** Address and port of the client. */
  readonly client: string;
  /** Requests on the lane that are not answered; the lane counts them. */
  inFlight: number;
  /** True while each reply must come alone, through `answered`. */
  readonly wantsWholeReplies: boolean;
  /**
   * `bytes` from `start` to `end` are of replies, in order; replies may be split anywhere. `whole` replies end in them, where the first of
   * REPLY_ENDS say.
   */
  deliver(bytes: Buffer, start: number, end: number, whole: number): void;
  /** One whole reply, which is an error. */
  reply(error: Buffer): void;
  /** All requests that were put on the lane together are answered: how many, and the seconds since. */
  finished(count: number, seconds: number): void;
  /** One whole reply: a refusal, that of an engine that runs a script, or any reply while `wantsWholeReplies`. */
  answered(request: Buffer, reply: Buffer): void;
  /** Ends the client's connection at once. */
  cut(why: string): void;
  /** `inFlight` is 0 again. */
  settled(): void;
  /** The lane is gone. Requests that were not sent were not executed; `partlyDelivered`: the first reply was cut off. */
  lost(requests: readonly LostRequest[], partlyDelivered: boolean): void;
}

/** A request that was on a lane when its connection ended. */
export interface LostRequest {
  readonly request: Buffer;
  readonly sent: boolean;
}
