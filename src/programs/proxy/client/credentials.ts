import { isPassword } from "./identity.ts";

/** Clients learn of a new password one after the other: for this long the one before it is accepted too, in milliseconds. */
const GRACE_MS = 60_000;

/** The password of an endpoint before its last change. */
export class FormerPassword {
  #password = "";
  #until = 0;

  /** `password` has been replaced. */
  remember(password: string): void {
    this.#password = password;
    this.#until = performance.now() + GRACE_MS;
  }

  /** True for a client that has not learnt of the new one yet. */
  accepts(given: Buffer): boolean {
    return this.#password !== "" && performance.now() < this.#until && isPassword(given, this.#password);
  }
}
