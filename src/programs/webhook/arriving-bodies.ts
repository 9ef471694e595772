import type { Socket } from "node:net";

/** One body: it counts until it is answered. */
export interface ArrivingBody {
  /** Further bytes of it. When all bodies together are too many then, one of them is dropped with its connection, maybe this one. */
  add(chunk: Buffer): void;
  readonly bytes: number;
  /** What has arrived; undefined once it was dropped. */
  text(): string | undefined;
  end(): void;
}

/**
 * The bodies that a server holds at once, at most `most` bytes of them: any client may send some. When there is more, the address that holds the
 * most loses its largest, so that small ones of other addresses arrive whatever one sends.
 */
export class ArrivingBodies {
  readonly #most: number;
  /** One for each connection at most. */
  readonly #held = new Set<HeldBody>();

  constructor(most: number) {
    this.#most = most;
  }

  begin(socket: Socket): ArrivingBody {
    const body = new HeldBody(socket, {
      grown: () => {
        while (sumOf([...this.#held]) > this.#most) this.#dropLargest();
      },
      ended: () => void this.#held.delete(body),
    });
    this.#held.add(body);
    return body;
  }

  #dropLargest(): void {
    const byAddress = [...Map.groupBy(this.#held, ({ address }) => address).values()];
    const [theirs = []] = byAddress.toSorted((one, other) => sumOf(other) - sumOf(one));
    const [largest] = theirs.toSorted((one, other) => other.bytes - one.bytes);
    largest?.drop();
  }
}

interface Listener {
  readonly grown: () => void;
  readonly ended: () => void;
}

class HeldBody implements ArrivingBody {
  readonly address: string;
  bytes = 0;
  readonly #socket: Socket;
  readonly #listener: Listener;
  /** Undefined once it was dropped: nothing else keeps what has arrived. */
  #chunks: Buffer[] | undefined = [];

  constructor(socket: Socket, listener: Listener) {
    this.address = socket.remoteAddress ?? "";
    this.#socket = socket;
    this.#listener = listener;
  }

  add(chunk: Buffer): void {
    if (this.#chunks === undefined) return;
    this.#chunks.push(chunk);
    this.bytes += chunk.length;
    this.#listener.grown();
  }

  text(): string | undefined {
    return this.#chunks && Buffer.concat(this.#chunks).toString("utf8");
  }

  drop(): void {
    this.end();
    this.#socket.destroy();
  }

  end(): void {
    this.#chunks = undefined;
    this.#listener.ended();
  }
}

function sumOf(bodies: readonly HeldBody[]): number {
  return bodies.reduce((sum, { bytes }) => sum + bytes, 0);
}
