import { createHash, timingSafeEqual } from "node:crypto";

/** The password of an endpoint. Clients learn of a new one at different times, so the former one is accepted for a minute. */
export class Credentials {
  #password: string;
  #former = "";
  #formerUntil = 0;

  constructor(password: string) {
    this.#password = password;
  }

  /** Empty when clients need none. */
  get password(): string {
    return this.#password;
  }

  /** True when clients must authenticate. */
  get required(): boolean {
    return this.#password !== "";
  }

  /** Sets the password; another one than before starts the time for which the former one is accepted. */
  replace(password: string): void {
    if (password === this.#password) return;
    this.#former = this.#password;
    this.#formerUntil = performance.now() + GRACE_MS;
    this.#password = password;
  }

  /** True when a client that gives this password is let in. */
  accepts(given: Buffer): boolean {
    return passwordMatches(given, this.#password) || this.#acceptsFormer(given);
  }

  #acceptsFormer(given: Buffer): boolean {
    return this.#former !== "" && performance.now() < this.#formerUntil && passwordMatches(given, this.#former);
  }
}

const GRACE_MS = 60_000;

/** Compares in a time that does not depend on where the two differ. */
function passwordMatches(given: Buffer, wanted: string): boolean {
  const digest = (bytes: Buffer | string): Buffer => createHash("sha256").update(bytes).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
