import type { Asked, Happening, Pushed, Tale } from "../tale.ts";
import { WAYS, type Way } from "./ways.ts";

/**
 * What is wrong with what subscribers got: each message comes once at most, in the order of its publisher, to who subscribes alone; and
 * one that was published before another one, and after the subscription was confirmed, comes before it on the same connection.
 */
export function judgeListening({ events }: Tale): string | undefined {
  const published = new Map(events.flatMap((event) => publishedIn(event)));
  const subscribers = new Map<string, Subscriber>();
  for (const event of events) {
    if (event.kind === "ended") for (const one of subscribers.values()) one.end(event.connection);
    const way = event.kind === "ended" ? undefined : wayOf(event);
    if (event.kind === "ended" || way === undefined) continue;
    const key = `${event.member} ${way.subscribe}`;
    const subscriber = subscribers.get(key) ?? new Subscriber(way, published);
    subscribers.set(key, subscriber);
    const wrong = event.kind === "pushed" ? subscriber.take(event) : subscriber.ask(event);
    if (wrong !== undefined) return `${event.connection}: ${wrong}`;
  }
  return undefined;
}

/** The way of a message, or of a request of a subscriber; undefined for everything else. */
function wayOf(event: Asked | Pushed): Way | undefined {
  const word = event.kind === "pushed" ? event.values[0] : event.command[0];
  return WAYS.find(({ message, subscribe, unsubscribe }) =>
    event.kind === "pushed" ? message === word : subscribe === word || unsubscribe === word,
  );
}

interface Published {
  readonly command: string;
  readonly publisher: string;
  readonly number: number;
  readonly begin: number;
  /** Undefined: the outcome is not known. */
  readonly end: number | undefined;
}

/** A message has the name of its publisher, and the number that it has with it. */
function publishedIn(event: Happening): readonly (readonly [text: string, published: Published])[] {
  if (event.kind !== "asked") return [];
  const [command = "", , text = ""] = event.command;
  if (!command.endsWith("PUBLISH")) return [];
  const { begin, answer } = event;
  const end = answer.kind === "reply" ? event.end : undefined;
  const at = text.lastIndexOf("-");
  return [[text, { command, publisher: text.slice(0, at), number: Number(text.slice(at + 1)), begin, end }]];
}

class Subscriber {
  readonly #way: Way;
  readonly #published: ReadonlyMap<string, Published>;
  readonly #received = new Set<string>();
  readonly #last = new Map<string, number>();
  #connection: string | undefined;
  #since = 0;

  constructor(way: Way, published: ReadonlyMap<string, Published>) {
    this.#way = way;
    this.#published = published;
  }

  ask({ command, connection, answer, end }: Asked): string | undefined {
    if (answer.kind !== "reply") return undefined;
    const isOn = command[0] === this.#way.subscribe;
    this.#connection = isOn ? connection : undefined;
    this.#since = end;
    return JSON.stringify(answer.reply) === JSON.stringify([command[0]?.toLowerCase(), command[1], isOn ? 1 : 0])
      ? undefined
      : `${command.join(" ")} was confirmed with ${JSON.stringify(answer.reply)}`;
  }

  end(connection: string): void {
    if (connection === this.#connection) this.#connection = undefined;
  }

  take({ connection, values }: Pushed): string | undefined {
    const text = String(values.at(-1));
    const message = this.#published.get(text);
    if (message === undefined || message.command !== this.#way.publish) return `${text} came, and was not published`;
    if (connection !== this.#connection) return `${text} came without a subscription`;
    if (this.#received.has(text)) return `${text} came twice`;
    const last = this.#last.get(message.publisher) ?? 0;
    // one that got no answer may be published late, when its publisher has gone on elsewhere
    if (message.number < last && message.end !== undefined) return `${text} came after a later one`;
    this.#received.add(text);
    this.#last.set(message.publisher, Math.max(last, message.number));
    const lost = [...this.#published].find(
      ([other, one]) => !this.#received.has(other) && this.#isBefore(one, message),
    );
    return lost === undefined
      ? undefined
      : `${lost[0]} was acknowledged before ${text} was published, and did not come`;
  }

  /** Published while it subscribed, and acknowledged before the other was published. */
  #isBefore({ command, begin, end }: Published, message: Published): boolean {
    return command === this.#way.publish && begin > this.#since && end !== undefined && end < message.begin;
  }
}
