import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type {
  LinkCommand,
  LinkReply,
  LinkReplyMessage,
  LinkedDatabaseStatus,
} from "../../../src/ports/management/link-control.ts";
import { STORE } from "../programs.ts";

const THIS: ReleaseCommand = [process.execPath, STORE];

/** A real link process, played an agent for. */
export interface LinkProcess extends AsyncDisposable {
  configure(command: Extract<LinkCommand, { op: "configure" }>): Promise<void>;
  status(): Promise<readonly LinkedDatabaseStatus[]>;
  /** What it has logged, a line each. */
  readonly lines: readonly string[];
  readonly pid: number;
  kill(): Promise<void>;
}

/** The programs of a release: node, and the source of the one that is all. */
export type ReleaseCommand = readonly [node: string, program: string];

/** Starts one, of this checkout or of a kept release, and waits until it takes commands. */
export async function startLink([execPath, program]: ReleaseCommand = THIS): Promise<LinkProcess> {
  const child = fork(program, ["link"], { execPath, stdio: ["ignore", "inherit", "pipe", "ipc"] });
  const lines: string[] = [];
  child.stderr?.on("data", (bytes: Buffer) => lines.push(...bytes.toString().trimEnd().split("\n")));
  const over = new Promise<never>((_, reject) => {
    child.once("exit", () => reject(new Error(`the link has ended: ${lines.slice(-3).join("\n")}`)));
  });
  over.catch(() => undefined); // for those who wait for a reply
  await Promise.race([once(child, "message"), over]);
  const replies = new Map<number, (reply: LinkReply) => void>();
  child.on("message", ({ id, reply }: LinkReplyMessage) => replies.get(id)?.(reply));
  let last = 0;
  const send = async (command: LinkCommand): Promise<LinkReply> => {
    last += 1;
    const id = last;
    const reply = new Promise<LinkReply>((resolve) => replies.set(id, resolve));
    child.send({ id, command });
    return Promise.race([reply, over]);
  };
  return {
    lines,
    pid: child.pid ?? 0,
    async configure(command) {
      const reply = await send(command);
      if (!reply.ok) throw new Error(`${reply.code}: ${reply.message}`);
    },
    async status() {
      const reply = await send({ op: "status" });
      if (!reply.ok || reply.op !== "status") throw new Error(JSON.stringify(reply));
      return reply.databases;
    },
    kill: () => ended(child, "SIGKILL"),
    [Symbol.asyncDispose]: () => ended(child, "SIGKILL"),
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
