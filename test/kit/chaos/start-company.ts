import { setTimeout as sleep } from "node:timers/promises";
import { seededDice } from "../world/chaos.ts";
import type { Life } from "./life.ts";
import { endOf } from "./running-client.ts";
import type { Company } from "./company/company.ts";
import { judgeTale } from "./company/judge.ts";
import { Member } from "./company/member.ts";
import type { Happening, Tale } from "./company/tale.ts";

/** What a company needs to begin. */
export interface CompanyOptions {
  readonly company: Company;
  /** Each member is at the next one. */
  readonly hosts: readonly string[];
  readonly port: number;
  readonly seed: number;
  /** As for one client alone. */
  readonly storyMs: number;
  readonly isCalm: boolean;
  readonly hasShards: boolean;
}

/** Begins to play tale after tale. */
export function startCompany(options: CompanyOptions): Life {
  const { company } = options;
  const playing = new Playing(options);
  return {
    isFull: false,
    judge: (around) => playing.tales.map((tale) => judgeTale(company, tale, around)),
    hasBegun: () => playing.hasBegun,
    ...endOf(company.name, playing, playing, playing.run()),
  };
}

class Playing {
  readonly tales: Tale[] = [];
  isOver = false;
  hasBegun = false;
  readonly #options: CompanyOptions;
  readonly #ending = new AbortController();
  readonly #members: readonly Member[];
  #events: Happening[] = [];

  constructor(options: CompanyOptions) {
    const { company, hosts, port, seed, isCalm } = options;
    this.#options = options;
    this.#members = Array.from({ length: company.size }, (_, at) => {
      const host = hosts[(seed + at) % hosts.length] ?? "";
      const note = (event: Happening): void => void this.#events.push(event);
      const dice = seededDice(seed * company.size + at);
      return new Member({ name: `${company.name}-${at}`, host, port, dice, isCalm, note, signal: this.#ending.signal });
    });
  }

  get current(): string {
    return this.#members.flatMap(({ name, current }) => (current === "" ? [] : [`${name}: ${current}`])).join("; ");
  }

  disconnect(): void {
    this.#ending.abort();
  }

  async run(): Promise<void> {
    const { company, storyMs, hasShards } = this.#options;
    while (!this.isOver) {
      this.#events = [];
      const tale = { name: `${company.name}-${this.tales.length}`, events: this.#events };
      this.tales.push(tale);
      let until: number | undefined;
      const isOver = (): boolean => {
        this.hasBegun = true;
        until ??= performance.now() + storyMs;
        return this.isOver || performance.now() > until;
      };
      await company.play({ name: tale.name, members: this.#members, hasShards, isOver });
      await sleep(1); // also where no endpoint takes a connection others have their turn
    }
    this.disconnect();
  }
}
