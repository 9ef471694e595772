import { fork } from "node:child_process";
import { once } from "node:events";
import type {
  MoverCommand,
  MoverReply,
  MoverReplyMessage,
  MoverStatus,
} from "../../../src/ports/management/mover-control.ts";
import { STORE } from "../programs.ts";

/** A real mover process, played an agent for. */
export class MoverProcess implements AsyncDisposable {
  readonly #child = fork(STORE, ["mover"], { stdio: ["ignore", "inherit", "ignore", "ipc"] });
  readonly #replies = new Map<number, (reply: MoverReply) => void>();
  readonly #exit = once(this.#child, "exit");

  private constructor() {
    this.#child.on("message", ({ id, reply }: MoverReplyMessage) => this.#replies.get(id)?.(reply));
  }

  /** Starts one, and waits until it takes commands. */
  static async start(): Promise<MoverProcess> {
    const mover = new MoverProcess();
    await mover.#orOver(once(mover.#child, "message"));
    return mover;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  send(command: MoverCommand): Promise<MoverReply> {
    const id = this.#replies.size + 1;
    const reply = new Promise<MoverReply>((resolve) => this.#replies.set(id, resolve));
    this.#child.send({ id, command });
    return this.#orOver(reply);
  }

  async status(): Promise<MoverStatus> {
    const reply = await this.send({ op: "status" });
    if (!reply.ok || reply.op !== "status") throw new Error(JSON.stringify(reply));
    return reply.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exit;
  }

  #orOver<T>(wanted: Promise<T>): Promise<T> {
    const over = this.#exit.then(([code]) => {
      throw new Error(`the mover has ended with ${code}`);
    });
    return Promise.race([wanted, over]);
  }
}
