import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { LoginTurns } from "./login-turns.ts";

type Passwords = Pick<EndpointConfig, "password" | "furtherPasswords">;

/** The passwords of an endpoint: one of them lets a client in, until its time ends. A client that is in stays in. */
export class Credentials {
  readonly turns: LoginTurns;
  readonly #clock: Clock;
  #passwords: Passwords;

  constructor(passwords: Passwords, clock: Clock, log: Log) {
    this.#passwords = passwords;
    this.#clock = clock;
    this.turns = new LoginTurns(clock, log);
  }

  /** True when clients must authenticate. */
  get required(): boolean {
    return !this.#accepted().includes("");
  }

  replace(passwords: Passwords): void {
    this.#passwords = passwords;
  }

  /** True when a client that gives this password is let in. */
  accepts(given: Buffer): boolean {
    const digest = digestOf(given);
    // each is compared, so that the time does not tell which one it was
    const matches = this.#accepted().map((password) => password !== "" && timingSafeEqual(digest, digestOf(password)));
    return matches.includes(true);
  }

  #accepted(): readonly string[] {
    const { password, furtherPasswords } = this.#passwords;
    if (furtherPasswords.length === 0) return [password];
    const now = this.#clock.now().toISOString();
    const further = furtherPasswords.filter(({ until }) => until === undefined || until > now);
    return [password, ...further.map((one) => one.password)];
  }
}

function digestOf(bytes: Buffer | string): Buffer {
  return createHash("sha256").update(bytes).digest();
}
