import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { startTimer } from "../timing/timer.ts";
import { isSaid, loginDelayMs } from "./login-delay.ts";

/** A client that gives a password. */
export interface LoginAttempt {
  /** Where it comes from; others may share it. */
  readonly address: string;
  /** One object for each connection. */
  readonly connection: object;
  readonly isGone: () => boolean;
}

interface Waiter {
  readonly login: LoginAttempt;
  readonly wake: () => void;
}

/** What a connection has tried. */
interface Tries {
  /** Wrong ones. */
  count: number;
  /** No login of it is looked at before this uptime, in milliseconds. */
  nextMs: number;
}

/** What clients of an address have tried lately. */
interface AddressTries {
  /** Wrong ones, and when the last of them was. */
  failures: number;
  lastMs: number;
  /** The uptimes until which its wrong passwords keep their places, in milliseconds. */
  held: readonly number[];
  /** The logins that are being looked at, or may be now, and until when that counts. */
  readonly open: Map<object, { readonly login: LoginAttempt; readonly untilMs: number }>;
  waiting: Waiter[];
  isWatched: boolean;
}

/**
 * Gives turns to logins. An address has a few places: a wrong password keeps its place for a while, so that guesses from one address are few,
 * and a right one gives it back at once. A login that finds no place waits for a turn, connections that have been wrong behind those that have
 * not: a client that shares an address with a guesser logs in beside it. The log says of which address wrong ones come, and how many: at once,
 * and less and less often while it goes on.
 */
export class LoginTurns {
  readonly #clock: Clock;
  readonly #log: Log;
  /** The addresses, the one that has failed last at the end; at most `MOST_ADDRESSES`, and those for which a login waits. */
  readonly #addresses = new Map<string, AddressTries>();
  readonly #connections = new WeakMap<object, Tries>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** How many addresses are remembered. */
  get addresses(): number {
    return this.#addresses.size;
  }

  /** Undefined when the password may be looked at now; else resolves when it is to be offered again. */
  turn(login: LoginAttempt): Promise<void> | undefined {
    const now = this.#clock.uptimeMs();
    const ownMs = (this.#connections.get(login.connection)?.nextMs ?? 0) - now;
    if (ownMs > 0) return this.#clock.sleep(ownMs);
    const tries = this.#addresses.get(login.address);
    if (tries === undefined) return undefined;
    const granted = tries.open.get(login.connection);
    tries.open.delete(login.connection);
    if (granted !== undefined && granted.untilMs > now) return undefined;
    if (tries.waiting.length === 0 && this.#freePlaces(tries) > 0) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    tries.waiting.push({ login, wake: resolve });
    this.#watch(tries);
    return promise;
  }

  /** An engine looks at the password; `settle` says what it found. */
  ask(login: LoginAttempt): void {
    this.#open(this.#triesOf(login.address), login);
  }

  /** Takes the result of a login that was looked at; when the password was wrong, resolves when that may be said. */
  settle(login: LoginAttempt, isRight: boolean): Promise<void> {
    this.#addresses.get(login.address)?.open.delete(login.connection);
    return isRight ? Promise.resolve() : this.#wrong(login);
  }

  #wrong({ address, connection }: LoginAttempt): Promise<void> {
    const now = this.#clock.uptimeMs();
    const tries = this.#triesOf(address);
    const failures = now - tries.lastMs < FORGOTTEN_MS ? tries.failures + 1 : 1;
    const delayMs = loginDelayMs(failures);
    tries.failures = failures;
    tries.lastMs = now;
    tries.held = [...tries.held.filter((untilMs) => untilMs > now), now + delayMs];
    const { count } = this.#connections.get(connection) ?? { count: 0 };
    this.#connections.set(connection, { count: count + 1, nextMs: now + delayMs });
    if (isSaid(failures)) this.#log.warn("a login of a client failed", { address, failures });
    return this.#clock.sleep(delayMs);
  }

  /** The tries of the address, which becomes the last in order. */
  #triesOf(address: string): AddressTries {
    const fresh = { failures: 0, lastMs: -FORGOTTEN_MS, held: [], open: new Map(), waiting: [], isWatched: false };
    const tries = this.#addresses.get(address) ?? fresh;
    this.#addresses.delete(address);
    this.#addresses.set(address, tries);
    if (this.#addresses.size > MOST_ADDRESSES) this.#forgetOne();
    return tries;
  }

  #forgetOne(): void {
    for (const [address, { waiting }] of this.#addresses) {
      if (waiting.length > 0) continue;
      this.#addresses.delete(address);
      return;
    }
  }

  #open(tries: AddressTries, login: LoginAttempt): void {
    tries.open.set(login.connection, { login, untilMs: this.#clock.uptimeMs() + LOOK_MS });
  }

  #freePlaces(tries: AddressTries): number {
    const now = this.#clock.uptimeMs();
    for (const [connection, { login, untilMs }] of [...tries.open])
      if (untilMs <= now || login.isGone()) tries.open.delete(connection);
    return PLACES - tries.open.size - tries.held.filter((untilMs) => untilMs > now).length;
  }

  /** Gives places to logins that wait, until none waits. */
  #watch(tries: AddressTries): void {
    if (tries.isWatched) return;
    tries.isWatched = true;
    startTimer(this.#clock, WATCH_MS, () => {
      tries.isWatched = false;
      const wrongs = ({ login }: Waiter): number => this.#connections.get(login.connection)?.count ?? 0;
      const present = tries.waiting.filter(({ login }) => !login.isGone()).toSorted((a, b) => wrongs(a) - wrongs(b));
      const free = Math.max(0, this.#freePlaces(tries));
      const next = present.slice(0, free);
      const rest = new Set(present.slice(free));
      tries.waiting = tries.waiting.filter((waiter) => rest.has(waiter));
      for (const { login } of next) this.#open(tries, login);
      for (const { wake } of next) wake();
      if (tries.waiting.length > 0) this.#watch(tries);
    });
  }
}

/** How many logins of an address are under way, or were wrong a moment ago. */
const PLACES = 16;
/** So long may a look take, or the login that has its turn, before its place goes to another one; in milliseconds. */
const LOOK_MS = 1_000;
/** How often places are given to logins that wait, in milliseconds. */
const WATCH_MS = 25;

const FORGOTTEN_MS = 30_000;
const MOST_ADDRESSES = 4_096;
