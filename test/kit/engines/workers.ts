import type { OtherProxies, ProxyAnswer, ProxyQuestion } from "../../../src/programs/agent/node/other-proxies.ts";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import type { Epochs } from "../../../src/programs/agent/node/epochs.ts";
import { NodeProxy } from "../../../src/programs/agent/node/proxy.ts";
import { PROXY_NODE_ARGS } from "../../../src/programs/proxy/node-args.ts";
import type { EndpointConfig, ProxyCommand, ProxyReply } from "../../../src/ports/management/proxy-control.ts";
import { noEnd } from "../time/lease.ts";
import { until } from "#kit/testing/until";
import { statsIn } from "./proxy.ts";
import type { TestProxy } from "./proxy.ts";
import type { RawClient } from "./raw-client.ts";
import { STORE } from "../programs.ts";

/** What Node compiles is kept: several start at once. */
const ENV = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "store-workers") };
const PATIENCE = { withinMs: 60_000 };

/** The proxy of a node as its agent has it, with several workers, each a real process. */
export interface TestWorkers extends TestProxy {
  readonly node: NodeProxy;
  /** Gives all of them these endpoints, and again each one that starts; those of an evacuated node accept no clients. */
  apply(endpoints: readonly EndpointConfig[], isEvacuated?: boolean): Promise<void>;
  /** Kills the one of that number, and resolves when it is gone; another one starts. */
  kill(number: number): Promise<void>;
  /** Resolves when each of them runs and has the endpoint of database 1. */
  whole(): Promise<void>;
}

/** Starts so many workers with a lease that does not end. */
export async function startWorkers(workers: number): Promise<TestWorkers> {
  let applied: readonly EndpointConfig[] = [];
  let evacuated = false;
  let given: Promise<void> = Promise.resolve();
  let share: Parameters<TestProxy["onScripts"]>[0] = () => Promise.resolve([]);
  let askOthers: Parameters<TestProxy["onClients"]>[0] = () => Promise.resolve([]);
  const give = (): Promise<void> => {
    given = given.catch(() => undefined).then(() => node.apply(applied, evacuated));
    return given;
  };
  const node = new NodeProxy({
    node: 1,
    workers,
    args: [...PROXY_NODE_ARGS, STORE, "proxy"],
    env: ENV,
    epochs: allEpochs,
    clock: systemClock,
    log: silentLog,
    certificate: () => undefined,
    askNodes: answerFor(() => ({ askOthers, share })),
    // one that ends meanwhile is followed by another one, which asks again
    onReady: () => void give().catch(() => undefined),
  });
  node.grant(noEnd());
  const confirmed = (command: ProxyCommand) =>
    node.send(command).then(
      ({ ok }) => ok,
      () => false, // one of them is not up yet
    );
  const stop = (): Promise<void> => node.stop();
  try {
    await until("every worker is up", () => confirmed({ op: "lease", untilMs: noEnd() }), PATIENCE);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    node,
    pid: processOf(1, workers) ?? 0,
    stop,
    [Symbol.asyncDispose]: stop,
    send: (command) => node.send(command),
    onParameters: (keep) => void node.onParameters(keep),
    onScripts: (given) => void (share = given),
    onClients: (given) => void (askOthers = given),
    stats: async (bdb = 1) => statsIn(await node.send({ op: "stats" }), bdb),
    apply: async (endpoints, isEvacuated = false) => {
      applied = endpoints;
      evacuated = isEvacuated;
      await give();
    },
    kill: async (number) => {
      const pid = processOf(number, workers);
      if (pid === undefined) throw new Error(`worker ${number} does not run`);
      process.kill(pid, "SIGKILL");
      await until("it is gone", () => processOf(number, workers) !== pid, { everyMs: 2 });
    },
    whole: () => until("every worker is up again", () => confirmed({ op: "quiet", bdb: 1, withinMs: 0 }), PATIENCE),
  };
}

/** The number of the worker that a client is connected to. */
export async function workerOf(client: RawClient): Promise<number> {
  const id = Number(await client.ask("CLIENT", "ID"));
  return 1 + Math.floor((id % 2 ** 40) / 2 ** 36);
}

const allEpochs: Epochs = { admit: (endpoints) => Promise.resolve(endpoints), highest: () => 0 };

/** A worker is told its number in its environment. */
function processOf(number: number, workers: number): number | undefined {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  return children.map(Number).find((pid) => environment(pid).includes(`PROXY_WORKER=${number}/${workers}`));
}

function environment(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return []; // it has ended
  }
}

interface Answering {
  readonly askOthers: Parameters<TestProxy["onClients"]>[0];
  readonly share: Parameters<TestProxy["onScripts"]>[0];
}

/** Answers what a worker asks of other nodes as the test says. */
function answerFor(answering: () => Answering): OtherProxies["askNodes"] {
  return async <Answer>({ command, only, answerIn }: ProxyQuestion<Answer>) => {
    const replies = await answersOf(command, only, answering());
    return replies.map(([from, reply]): ProxyAnswer<Answer> => {
      const answer = reply.ok ? answerIn(reply) : undefined;
      return answer === undefined ? { node: from, missing: reply.ok ? "" : reply.message } : { node: from, ...answer };
    });
  };
}

/** What the test answers for other nodes, each as their proxy would. */
async function answersOf(
  command: ProxyCommand,
  only: number | undefined,
  { askOthers, share }: Answering,
): Promise<readonly (readonly [number, ProxyReply])[]> {
  if (command.op === "clients") {
    const { bdb, request } = command;
    const others = await askOthers({ bdb, request, ...(only === undefined ? {} : { node: only }) });
    return others.map((other) => [
      other.node,
      "missing" in other ? refusal(other.missing) : { ok: true, op: "clients", lines: other.lines, count: other.count },
    ]);
  }
  if (command.op !== "scripts") return [];
  const { op, ...request } = command;
  return (await share(request)).map((other) => [
    other.node,
    "missing" in other ? refusal(other.missing) : { ok: true, op, bodies: other.bodies, more: other.more },
  ]);
}

function refusal(message: string): ProxyReply {
  return { ok: false, code: "PROXY_FAILED", message };
}
