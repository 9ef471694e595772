import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type {
  Address,
  EndpointConfig,
  EndpointShard,
  EndpointStats,
  ProxyCommand,
  ProxyReply,
} from "../../../src/ports/management/proxy-control.ts";
import type { ParametersOutcome, ParametersRequest } from "../../../src/ports/management/parameters-question.ts";
import type { AgentQuestion, OtherClients } from "../../../src/ports/management/clients-question.ts";
import type { OtherScripts, ScriptsRequest } from "../../../src/ports/management/scripts-question.ts";
import { DEFAULT_USER } from "../../../src/core/api/engine-login.ts";
import { PROXY_NODE_ARGS } from "../../../src/programs/proxy/node-args.ts";
import { endpointSettings } from "../../../src/core/api/settings/effects.ts";
import { settingsWith } from "../facts/settings.ts";
import { loopbackAddress } from "./engine.ts";
import type { TestEngine } from "./engine.ts";
import { noEnd } from "../time/lease.ts";
import { STORE } from "../programs.ts";

type ShareScripts = (request: ScriptsRequest) => Promise<readonly OtherScripts[]>;
type AskOthers = (question: AgentQuestion) => Promise<readonly OtherClients[]>;
type KeepParameters = (request: ParametersRequest) => Promise<ParametersOutcome>;

/** A real proxy process, commanded as its agent does. */
export interface TestProxy extends AsyncDisposable {
  readonly pid: number;
  send(command: ProxyCommand): Promise<ProxyReply>;
  stats(bdb?: number): Promise<EndpointStats>;
  /** Answers the proxy when clients send CONFIG SET, as its agent does; until then it gets no answer. */
  onParameters(keep: KeepParameters): void;
  /** The same when it lets other proxies know of scripts, or asks for theirs; until then it is the only proxy. */
  onScripts(share: ShareScripts): void;
  /** The same when it asks the other proxies about clients; until then it is the only proxy. */
  onClients(ask: AskOthers): void;
  /** Closes the channel; fails when the process does not end on that within half a minute, and kills it. */
  stop(): Promise<void>;
}

/** How a proxy is started otherwise than usual. */
export interface ProxyStart {
  /** A program that runs it, and becomes it. */
  readonly within?: string | undefined;
  /** Of another version of the product. */
  readonly folder?: string | undefined;
}

/** Starts a proxy with a lease that does not end. */
export async function startProxy({ within, folder }: ProxyStart = {}): Promise<TestProxy> {
  const child = fork(folder === undefined ? STORE : join(folder, "src/bin/store.ts"), ["proxy"], {
    ...(within === undefined ? {} : { execPath: within }),
    execArgv: [...PROXY_NODE_ARGS],
    stdio: ["ignore", "ignore", process.env.PROXY_LOG === undefined ? "ignore" : "inherit", "ipc"],
  });
  const stop = (): Promise<void> => stopChild(child);
  try {
    const { send, ...handlers } = await openChannel(child);
    await done(send({ op: "lease", untilMs: noEnd() }));
    const stats = async (bdb = 1): Promise<EndpointStats> => statsIn(await send({ op: "stats" }), bdb);
    return { pid: child.pid ?? 0, send, stats, ...handlers, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

/** Resolves when the proxy is ready, with what sends it a command; the reply rejects when the proxy ends before it. */
async function openChannel(
  child: ChildProcess,
): Promise<Pick<TestProxy, "send" | "onParameters" | "onScripts" | "onClients">> {
  const waiting = new Map<number, PromiseWithResolvers<ProxyReply>>();
  const ready = Promise.withResolvers<undefined>();
  child.once("exit", (code) => {
    const error = new Error(`the proxy ended with code ${code}`);
    for (const { reject } of [ready, ...waiting.values()]) reject(error);
  });
  let keep: KeepParameters = () => new Promise(() => undefined);
  let share: ShareScripts = () => Promise.resolve([]);
  let askOthers: AskOthers = () => Promise.resolve([]);
  child.on("message", (message: ProxyMessage) => {
    if (message.ready === true) ready.resolve(undefined);
    else if (message.parameters !== undefined) {
      const { ask: answer = 0, bdb = 0, parameters, clients = [] } = message;
      void keep({ bdb, parameters, clients }).then((outcome) => child.send({ answer, outcome }));
    } else if (message.scripts !== undefined) {
      const { ask: answer = 0 } = message;
      // one that has ended needs no answer
      void share(message.scripts).then((scripts) => child.connected && child.send({ answer, scripts }));
    } else if (message.ask !== undefined) {
      const { ask: answer, bdb = 0, request = [], ...only } = message;
      void askOthers({ bdb, request, ...only }).then((others) => child.connected && child.send({ answer, others }));
    } else if (message.id !== undefined && message.reply !== undefined) {
      waiting.get(message.id)?.resolve(message.reply);
      waiting.delete(message.id);
    }
  });
  await ready.promise;
  let nextId = 1;
  const send: TestProxy["send"] = (command) => {
    const answer = Promise.withResolvers<ProxyReply>();
    const id = nextId++;
    waiting.set(id, answer);
    child.send({ id, command });
    return answer.promise;
  };
  return {
    send,
    onParameters: (set) => void (keep = set),
    onScripts: (given) => void (share = given),
    onClients: (given) => void (askOthers = given),
  };
}

type ProxyMessage = {
  ready?: true;
  id?: number;
  reply?: ProxyReply;
  ask?: number;
  scripts?: ScriptsRequest;
  request?: readonly string[];
  node?: number;
} & Partial<ParametersRequest>;

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  if (child.connected) child.disconnect();
  await gone;
  clearTimeout(timer);
  if (child.exitCode !== 0) throw new Error(`the proxy did not end within ${STOP_MS} ms without its agent`);
}

const STOP_MS = 30_000;

/** The numbers of an endpoint in a reply. */
export function statsIn(reply: ProxyReply, bdb: number): EndpointStats {
  const found = reply.ok && reply.op === "stats" ? reply.endpoints.find((endpoint) => endpoint.bdb === bdb) : undefined;
  if (found === undefined) throw new Error(`no endpoint of database ${bdb}: ${JSON.stringify(reply)}`);
  return found;
}

/** An endpoint of database 1 in front of `primary`, on an address of its own. */
export function endpointFor(primary: Place | undefined, more: Partial<EndpointConfig> = {}): EndpointConfig {
  const password = more.password ?? "";
  return {
    bdb: 1,
    node: 1,
    // engines of tests have the password of their clients, and no further user
    logins: [password, ...(more.furtherPasswords ?? []).map((one) => one.password)].map((one) => ({
      user: DEFAULT_USER,
      password: one,
    })),
    loginStep: 0,
    listen: { host: loopbackAddress(), port: 12000 },
    service: { host: "db.ns.svc.cluster.local", port: 12000 },
    password,
    furtherPasswords: [],
    passwordsRevision: 0,
    shards: [{ id: 1, epoch: 1, ...(primary === undefined ? {} : { primary: addressOf(primary) }) }],
    holdMs: 20_000,
    scriptLimitMs: 5000,
    parameters: { database: "db", revision: 0, byClients: "", byDefinition: "" },
    settings: endpointSettings(settingsWith()),
    ...more,
  };
}

/** The same endpoint with another primary or epoch, or with replies that wait for other replicas. */
export function withShard(endpoint: EndpointConfig, change: Partial<EndpointShard>): EndpointConfig {
  const [shard, ...others] = endpoint.shards;
  if (shard === undefined) throw new Error("the endpoint has no shard");
  return { ...endpoint, shards: [{ ...shard, ...change }, ...others] };
}

type Place = Pick<TestEngine, "host" | "port">;

export function addressOf({ host, port }: Place): Address {
  return { host, port };
}

/** The reply when it is a success; otherwise fails with the error of the proxy. */
export async function done(pending: Promise<ProxyReply>): Promise<ProxyReply & { readonly ok: true }> {
  const reply = await pending;
  if (!reply.ok) throw new Error(`${reply.code}: ${reply.message}`);
  return reply;
}
