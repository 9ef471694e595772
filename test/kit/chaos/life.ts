import { setTimeout as sleep } from "node:timers/promises";
import { endOf } from "./running-client.ts";
import { Redis, ReplyError } from "ioredis";
import type { Dice } from "../world/chaos.ts";
import type { Kind } from "./stories/asker.ts";
import { judgeStory, type Circumstances, type Judged } from "./stories/judge.ts";
import { OUT_OF_MEMORY } from "./stories/memory.ts";
import type { Answer, Answered, Step, Story } from "./stories/story.ts";

/** One client that lives as clients of its kind do, story after story. */
export interface Life extends AsyncDisposable {
  /** Its answers so far: what is wrong with each story. */
  judge(around: Circumstances): readonly Judged[];
  /** The memory of its database is full. */
  readonly isFull: boolean;
  /** What its first story needs is there. */
  hasBegun(): boolean;
  /** Its name, and what it waits for an answer to. */
  waitsFor(): string;
  /** Ends with the story that is under way; rejects when a request is not answered within `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

/** What a client needs to begin. */
export interface LifeOptions {
  readonly host: string;
  readonly port: number;
  readonly isFull: boolean;
  readonly name: string;
  readonly kind: Kind;
  readonly dice: Dice;
  /** How long a story lasts. What comes after a change of the primary that may lose something is judged from the next one on. */
  readonly storyMs: number;
  /** Nothing fails while it lives: nodes are left one after the other. */
  readonly isCalm: boolean;
}

/** So that the machine has time for the cluster. */
const PAUSE_MS = 12;

/** Begins to live at an endpoint. */
export function startLife({ host, port, name, isFull, ...played }: LifeOptions): Life {
  // what may have been executed is not sent again: its outcome is not known
  const redis = new Redis({ host, port, maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy: () => 50 });
  redis.on("error", () => undefined); // it connects again
  const client = new Client(redis, { name, ...played });
  const running = client.run();
  return {
    isFull,
    judge: (around) => client.stories.map((story) => judgeStory(story, around)),
    hasBegun: () => client.hasBegun,
    ...endOf(name, client, redis, running),
  };
}

/** The story ends: what follows would depend on an outcome that is not known. */
class Unknown extends Error {}

class Client {
  readonly stories: Story[] = [];
  isOver = false;
  hasBegun = false;
  /** The request that is under way. */
  current = "";
  readonly #redis: Redis;
  readonly #played: Omit<LifeOptions, "host" | "port" | "isFull">;
  #connectionsEnded = 0;
  /** How many connections had ended when the transaction that is open began. */
  #transactionBegan: number | undefined;

  constructor(redis: Redis, played: Omit<LifeOptions, "host" | "port" | "isFull">) {
    this.#redis = redis;
    this.#played = played;
    redis.on("close", () => (this.#connectionsEnded += 1));
  }

  async run(): Promise<void> {
    const { name, kind, dice, storyMs } = this.#played;
    while (!this.isOver) {
      await sleep(PAUSE_MS);
      if (this.#redis.status !== "ready") continue;
      this.#transactionBegan = undefined;
      const steps: Step[] = [];
      const story = { name: `${name}-${this.stories.length}`, steps };
      this.stories.push(story);
      let until: number | undefined;
      const isOver = (): boolean => {
        this.hasBegun = true;
        until ??= performance.now() + storyMs;
        return this.isOver || performance.now() > until;
      };
      await kind({ name: story.name, dice, isOver, ask: (...command) => this.#ask(steps, command) }).catch(
        (error: unknown) => {
          if (!(error instanceof Unknown)) throw error;
          // the next story begins outside of a transaction that was refused half-way
          if (this.#redis.status === "ready") this.#redis.disconnect(true);
        },
      );
    }
    this.#redis.disconnect();
  }

  /** Where nothing fails, what was not answered was not executed (a node has closed its connections), and is sent again. */
  async #ask(steps: Step[], command: readonly string[]): Promise<Answered> {
    const answer = await this.#askOnce(steps, command);
    if (answer.kind === "reply") return answer.reply;
    // it changes nothing, and is right where a key holds another type, or the memory is full
    if (answer.kind === "error" && CHANGES_NOTHING.test(answer.text)) return { error: answer.text };
    if (answer.kind === "none" && this.#played.isCalm && !this.isOver) return this.#ask(steps, command);
    throw new Unknown();
  }

  async #askOnce(steps: Step[], command: readonly string[]): Promise<Answer> {
    do await sleep(PAUSE_MS);
    while (this.#redis.status !== "ready" && !this.isOver);
    const [name = "", ...args] = command;
    this.#requireOneConnection(name);
    this.current = command.slice(0, 3).join(" ");
    const begin = Number(process.hrtime.bigint());
    const answer = await answerOf(this.#redis.call(name, ...args));
    steps.push({ command, begin, end: Number(process.hrtime.bigint()), answer });
    return answer;
  }

  /** A transaction ends with the connection that it began on: what follows would be executed at once on another one. */
  #requireOneConnection(name: string): void {
    if (this.#transactionBegan !== undefined && this.#transactionBegan !== this.#connectionsEnded) throw new Unknown();
    if (name === "MULTI") this.#transactionBegan = this.#connectionsEnded;
    if (name === "EXEC" || name === "DISCARD") this.#transactionBegan = undefined;
  }
}

const CHANGES_NOTHING = new RegExp(`^WRONGTYPE|${OUT_OF_MEMORY.source}`);

async function answerOf(asked: Promise<unknown>): Promise<Answer> {
  try {
    return { kind: "reply", reply: readable(await asked) };
  } catch (error) {
    return error instanceof Error && error instanceof ReplyError
      ? { kind: "error", text: error.message }
      : { kind: "none" };
  }
}

function readable(reply: unknown): Answered {
  if (Array.isArray(reply)) return reply.map(readable);
  if (reply instanceof Error) return { error: reply.message };
  return typeof reply === "number" || reply === null ? reply : String(reply);
}
