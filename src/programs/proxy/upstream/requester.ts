/** Whoever puts requests on a lane. */
export interface Requester {
  /** Requests on the lane that are not answered; kept by the lane. */
  inFlight: number;
  /** True while replies are wanted one by one, in `answered`. */
  readonly picky: boolean;
  /** Bytes of replies, in order, ends of frames anywhere. */
  deliver(bytes: Buffer): void;
  /** One reply that is a refusal, or any reply while picky. */
  answered(request: Buffer, reply: Buffer): void;
  /** `inFlight` came down to 0. */
  settled(): void;
  /** The lane is gone. Requests that were not sent were certainly not executed; `torn`: part of a reply was delivered. */
  lost(requests: readonly LostRequest[], torn: boolean): void;
}

export interface LostRequest {
  readonly request: Buffer;
  readonly sent: boolean;
}
