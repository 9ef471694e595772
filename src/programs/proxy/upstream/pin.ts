import { Fault } from "../../../core/base/fault.ts";
import { FrameScanner, INCOMPLETE } from "../../../ports/resp/scan.ts";
import type { Backend } from "./engine-connection.ts";
import { Gate } from "./lease-gate.ts";
import type { Lease } from "../timing/lease.ts";
import { Wire } from "./wire.ts";

/** Who uses a pin at the moment. */
export interface PinUser {
  /** One whole reply or message. */
  frame(frame: Buffer): void;
  closed(): void;
  /** The connection takes more, after it was clogged. */
  drained?(): void;
}

/** A connection to an engine that one client has for itself, for as long as its session cannot share one. */
export class Pin {
  /** The engine's number for this connection. */
  readonly id: number;
  /** Protocol and database that it was dialled for. */
  readonly lane: string;
  closed = false;
  /** Its state differs from that of a new connection: it must not be used again by another client. */
  tainted = false;
  readonly #wire: Wire;
  readonly #gate: Gate;
  readonly #scanner = new FrameScanner({ maxFrameBytes: 2 ** 31 });
  #carried: Buffer[] = [];
  #user: PinUser | undefined;

  constructor(backend: Backend, lane: string, lease: Lease, onClosed: () => void) {
    this.id = backend.id;
    this.lane = lane;
    this.#wire = new Wire(backend.socket, {
      data: (bytes) => {
        this.#gate.take(bytes);
      },
      end: () => {
        this.#wire.destroy();
      },
      closed: () => {
        this.closed = true;
        this.#gate.drop();
        onClosed();
        this.#user?.closed();
      },
      drained: () => {
        this.#user?.drained?.();
      },
    });
    this.#gate = new Gate(lease, this.#wire, (bytes) => {
      this.#receive(bytes);
    });
  }

  /** From now on `user` gets what arrives; undefined: nobody. */
  attach(user: PinUser | undefined): void {
    this.#user = user;
  }

  write(bytes: Buffer): void {
    this.#wire.write(bytes);
  }

  /** The engine does not take what is sent as fast as it comes. */
  get clogged(): boolean {
    return this.#wire.queued > CLOGGED_BYTES;
  }

  pause(): void {
    this.#wire.pause();
  }

  resume(): void {
    this.#wire.resume();
  }

  /** Ends the connection; its user is told. */
  sever(): void {
    this.#gate.drop();
    this.#wire.destroy();
  }

  destroy(): void {
    this.#user = undefined;
    this.#gate.drop();
    this.#wire.destroy();
  }

  #receive(bytes: Buffer): void {
    let start = 0;
    try {
      for (let past = 0; (past = this.#scanner.next(bytes, start, bytes.length)) !== INCOMPLETE; start = past) {
        const tail = bytes.subarray(start, past);
        const frame = this.#carried.length === 0 ? tail : Buffer.concat([...this.#carried, tail]);
        this.#carried = [];
        this.#user?.frame(frame);
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#wire.destroy();
      return;
    }
    if (start < bytes.length) this.#carried.push(bytes.subarray(start));
  }
}

const CLOGGED_BYTES = 2 ** 20;
