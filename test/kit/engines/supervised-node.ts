import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "#kit/base/log";
import { engineChildren, type EngineRunner } from "../../../src/mechanisms/supervisor/engine-process.ts";
import { discoverEngines } from "../../../src/mechanisms/supervisor/engines.ts";
import type { InstanceReport } from "../../../src/mechanisms/supervisor/instance-report.ts";
import { superviseInstances } from "../../../src/mechanisms/supervisor/instances.ts";
import type { FateOf, InstanceSupervisor, SupervisorDeps } from "../../../src/mechanisms/supervisor/instances.ts";
import type { WantedInstance } from "../../../src/mechanisms/supervisor/wanted-instance.ts";
import { engineLogins } from "../../../src/core/api/engine-login.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { callEngine } from "../../../src/ports/resp/engine-client.ts";
import { parseInfo, replicationView } from "../../../src/ports/resp/info.ts";
import type { ReplicationView } from "../../../src/ports/resp/info.ts";
import { textOf } from "../../../src/ports/resp/reply.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import { directivesWith } from "../facts/settings.ts";
import { until } from "#kit/testing/until";
import { loopbackAddress } from "./engine.ts";

type Limits = SupervisorDeps["limits"];

/** The engines of a node with a data folder and a loopback address of its own; its agent may be replaced. */
class SupervisedNode implements AsyncDisposable {
  readonly data: string;
  readonly host = loopbackAddress();
  supervisor: InstanceSupervisor;
  readonly #deps: SupervisorDeps;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
    this.data = deps.data;
    this.supervisor = superviseInstances(deps);
  }

  /** The record's first instance, a primary whose start is allowed once. */
  primary(over: Partial<WantedInstance> = {}): WantedInstance {
    return {
      bdb: 1,
      database: { created: "2026-01-01T00:00:00.000Z", name: "db" },
      instance: 1,
      host: this.host,
      port: 20_001,
      speaksTls: false,
      storeVersion: "7.2",
      role: "primary",
      isFollowed: false,
      launch: 1,
      fresh: true,
      switching: false,
      upgrading: false,
      isSite: false,
      access: { internal: "secret", clients: [] },
      directives: directivesWith(),
      modules: [],
      ...over,
    };
  }

  replicaOf(primary: WantedInstance): WantedInstance {
    const { host, port } = primary;
    return { ...primary, instance: 2, port: port + 1, role: "replica", launch: 0, primary: { host, port } };
  }

  /** Reconciles with these instances; the data of others is removed, or what `fate` says. */
  reconcile(wanted: readonly WantedInstance[], fate: ReturnType<FateOf> = "remove"): Promise<void> {
    return this.supervisor.reconcileInstances(wanted, () => fate);
  }

  /** Reconciles with these instances, and waits until the first of them serves. */
  async serve(...wanted: readonly WantedInstance[]): Promise<void> {
    await this.reconcile(wanted);
    await this.awaitState("serving");
  }

  async awaitState(state: InstanceReport["state"], instance = 1): Promise<void> {
    await until(`instance ${instance} is ${state}`, () => this.report(instance).state === state);
  }

  report(instance = 1): InstanceReport {
    const found = this.supervisor.report().find((one) => one.instance === instance);
    assert.ok(found !== undefined, `instance ${instance} is not reported`);
    return found;
  }

  /** Kills the engine, and waits until its supervisor has seen it. */
  async crash(): Promise<void> {
    process.kill(this.report().pid, "SIGKILL");
    await this.awaitState("crashed");
  }

  /** Ends the agent and its engines in good order, and starts the next agent of the same node. */
  async restartAgent(): Promise<void> {
    await this.supervisor.stopAll();
    this.supervisor = superviseInstances(this.#deps);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supervisor.stopAll();
    await rm(this.data, { recursive: true, force: true });
  }
}

/** A node without instances; its engines are children of this process. */
export async function superviseNode(limits: Limits = {}): Promise<SupervisedNode> {
  const engines = await discoverEngines(process.env);
  const data = await mkdtemp(join(tmpdir(), "instances-"));
  const runner = engineChildren(silentLog);
  return new SupervisedNode({ data, engines, runner, clock: systemClock, log: silentLog, limits });
}

/** A node whose engines another process starts. */
export async function superviseBy(runner: EngineRunner, data: string): Promise<SupervisedNode> {
  const engines = await discoverEngines(process.env);
  return new SupervisedNode({ data, engines, runner, clock: systemClock, log: silentLog });
}

/** One command on a connection of its own. */
export function callInstance(wanted: WantedInstance, ...args: readonly string[]): Promise<Reply> {
  const { host, port, access } = wanted;
  return callEngine({ host, port, logins: engineLogins(access), timeoutMs: 1_000 }, ...args);
}

/** What an instance reports of its replication; undefined while it does not answer. */
export async function replicationOf(wanted: WantedInstance): Promise<ReplicationView | undefined> {
  return callInstance(wanted, "INFO", "replication").then(
    (text) => replicationView(parseInfo(textOf(text))),
    () => undefined,
  );
}

/** Waits until a replica is linked to its primary. */
export async function awaitLink(wanted: WantedInstance): Promise<void> {
  await until("the replica is linked", async () => (await replicationOf(wanted))?.link?.status === "up");
}

/** Waits until the engine begins or ends to write an AOF: while it writes its first one, it refuses to exit. */
export async function awaitAofRewrite(wanted: WantedInstance, running: boolean): Promise<void> {
  const line = `aof_rewrite_in_progress:${running ? 1 : 0}`;
  await until(line, async () => textOf(await callInstance(wanted, "INFO", "persistence")).includes(line));
}
