/** Which replies a client wants: CLIENT REPLY. */
export class ReplyMode {
  #mode: "on" | "off" | "skip" | "skipping" = "on";

  /** The reply that is made now is not for the client. */
  get silent(): boolean {
    return this.#mode === "off" || this.#mode === "skipping";
  }

  /** No reply is for the client until it asks for replies again. */
  get isOff(): boolean {
    return this.#mode === "off";
  }

  /** The next request must be taken alone. */
  get single(): boolean {
    return this.#mode === "skip";
  }

  /** A request is at an engine whose reply is to be skipped: no other can be taken. */
  get skipping(): boolean {
    return this.#mode === "skipping";
  }

  set(mode: "on" | "off" | "skip"): void {
    this.#mode = mode;
  }

  /** RESET: a client that wants no replies wants them again; that of a RESET behind SKIP stays away. */
  reset(): void {
    if (this.#mode === "off") this.#mode = "on";
  }

  /** A request is offered; `taken` follows. */
  begin(): void {
    if (this.#mode === "skip") this.#mode = "skipping";
  }

  /** The request was taken or not, and waits for its reply or not. */
  taken(taken: boolean, pending: boolean): void {
    if (this.#mode === "skipping" && !(taken && pending)) this.#mode = taken ? "on" : "skip";
  }

  /** Nothing is pending any more. */
  settled(): void {
    if (this.#mode === "skipping") this.#mode = "on";
  }
}
