import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { commandName, keyword } from "../protocol/arguments.ts";
import { shaOf, type RememberedScripts } from "../upstream/script-cache.ts";
import { repliesIn } from "./exec-reply.ts";
import type { PendingRequest } from "./pending-request.ts";

/** Learns from the replies to one client which scripts its engine has taken, whichever way they came. */
export class LearntScripts {
  readonly #scripts: RememberedScripts;
  /** The scripts of the open transaction, by their places. */
  readonly #queued = new Map<number, Buffer>();
  #count = 0;

  constructor(scripts: RememberedScripts) {
    this.#scripts = scripts;
  }

  /** Applies a reply of the engine. */
  apply({ kind, request }: PendingRequest, reply: Buffer): void {
    if (kind === "command") this.#learn(request, reply);
    else if (kind === "queued") {
      // a refused request has no place in the reply to EXEC
      if (reply[0] !== MINUS) this.#queue(request);
    } else if (kind === "multi" || kind === "discard") this.#forget();
    else if (kind === "exec") this.#execute(reply);
  }

  #queue(request: Buffer): void {
    const at = this.#count++;
    if (ABOUT_SCRIPTS.has(commandName(request))) this.#queued.set(at, request);
  }

  #execute(reply: Buffer): void {
    const executed = this.#queued.size === 0 ? [] : (repliesIn(reply) ?? []);
    for (const [at, request] of this.#queued) this.#learn(request, executed[at]);
    this.#forget();
  }

  #forget(): void {
    this.#queued.clear();
    this.#count = 0;
  }

  #learn(request: Buffer, reply: Buffer | undefined): void {
    const name = commandName(request);
    if (reply === undefined || !ABOUT_SCRIPTS.has(name)) return;
    const [, second, third] = requestArguments(request);
    const isDone = reply[0] !== MINUS;
    if (name === "SCRIPT") {
      if (isDone) this.#learnOfScript(keyword(second), third);
    } else if (second === undefined) return;
    else if (name.startsWith("EVALSHA")) {
      if (isDone) this.#scripts.touch(second.toString("latin1").toLowerCase());
    } else if (isDone || hasRun(second, reply)) this.#scripts.add(second);
  }

  #learnOfScript(subcommand: string, body: Buffer | undefined): void {
    if (subcommand === "LOAD" && body !== undefined) this.#scripts.add(body);
    else if (subcommand === "FLUSH") this.#scripts.clear();
  }
}

/** The engine names the script in an error that it met while it ran. */
function hasRun(body: Buffer, error: Buffer): boolean {
  return error.includes(`script: ${shaOf(body)}`);
}

const ABOUT_SCRIPTS: ReadonlySet<string> = new Set(["EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO", "SCRIPT"]);
const MINUS = 45;
