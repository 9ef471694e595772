import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type {
  Address,
  EndpointConfig,
  EndpointStats,
  ProxyCommand,
  ProxyReply,
} from "../../../src/ports/management/proxy-control.ts";
import { endpointSettings } from "../../../src/core/api/settings/effects.ts";
import { settingsWith } from "../facts/settings.ts";
import { loopbackAddress } from "./engine.ts";
import type { TestEngine } from "./engine.ts";
import { noEnd } from "../time/lease.ts";

/** A real proxy process, commanded as its agent does. */
export interface TestProxy {
  readonly pid: number;
  send(command: ProxyCommand): Promise<ProxyReply>;
  stats(bdb?: number): Promise<EndpointStats>;
  /** Closes the channel, and waits until the process has ended by itself. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startProxy(): Promise<TestProxy> {
  const child = fork(join(import.meta.dirname, "../../../src/bin/store.ts"), ["proxy"], {
    stdio: ["ignore", "ignore", process.env.PROXY_LOG === undefined ? "ignore" : "inherit", "ipc"],
  });
  const waiting = new Map<number, (reply: ProxyReply) => void>();
  const gone = once(child, "exit");
  const ready = new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => {
      reject(new Error(`the proxy ended with code ${code}`));
    });
    child.on("message", (message: { ready?: true; id?: number; reply?: ProxyReply }) => {
      if (message.ready === true) resolve();
      else if (message.id !== undefined && message.reply !== undefined) waiting.get(message.id)?.(message.reply);
    });
  });
  let nextId = 1;
  const send = (command: ProxyCommand): Promise<ProxyReply> =>
    new Promise((resolve) => {
      const id = nextId++;
      waiting.set(id, resolve);
      child.send({ id, command });
    });
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await gone;
  };
  await ready;
  await done(send({ op: "lease", until: noEnd() }));
  return {
    pid: child.pid ?? 0,
    send,
    stats: async (bdb = 1) => {
      const reply = await send({ op: "stats" });
      const found =
        reply.ok && reply.op === "stats" ? reply.endpoints.find((endpoint) => endpoint.bdb === bdb) : undefined;
      if (found === undefined) throw new Error(`no endpoint of database ${bdb}: ${JSON.stringify(reply)}`);
      return found;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** An endpoint of database 1 in front of `primary`, on an address of its own. */
export function endpointFor(primary: TestEngine | undefined, more: Partial<EndpointConfig> = {}): EndpointConfig {
  return {
    bdb: 1,
    listen: { host: loopbackAddress(), port: 12000 },
    password: "",
    epoch: 1,
    holdMs: 5000,
    settings: endpointSettings(settingsWith()),
    ...(primary === undefined ? {} : { primary: addressOf(primary) }),
    ...more,
  };
}

export function addressOf({ host, port }: TestEngine): Address {
  return { host, port };
}

/** The reply, if it is a success; otherwise fails with what the proxy says. */
export async function done(pending: Promise<ProxyReply>): Promise<ProxyReply & { readonly ok: true }> {
  const reply = await pending;
  if (!reply.ok) throw new Error(`${reply.code}: ${reply.message}`);
  return reply;
}
