import type { DatabaseRecord } from "../../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { PasswordChange } from "../../../../core/planner/database/passwords.ts";
import type { ProxyCommand, ProxyReply } from "../../../../ports/management/proxy-control.ts";
import { callEngine, engineCodeOf } from "../../../../ports/resp/engine-client.ts";
import type { Member, Members } from "../../members/members.ts";
import type { NodeCapability } from "../../members/node-report.ts";
import type { Peers } from "../../members/peers.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { acceptsClients } from "../cluster/nodes.ts";

/** A node that does not go by the new passwords in this time is not waited for: it may be gone. In milliseconds. */
const PATIENCE_MS = 2_000;
const POLL_MS = 20;
const ANSWER_MS = 500;

/** What asking the endpoints of all nodes takes. */
export interface AwaitEndpointsContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly clock: Clock;
  readonly members: Pick<Members, "list">;
  readonly peers: Pick<Peers, "proxy">;
  /** Sends a command to the proxy of this node. */
  readonly sendToProxy: (command: ProxyCommand) => Promise<ProxyReply>;
}

const CAPABILITY: NodeCapability = "password-revisions";

/** Resolves once each node that takes clients lets them in by the passwords of the record, or after two seconds. */
export async function awaitEndpoints(
  context: AwaitEndpointsContext,
  record: DatabaseRecord,
  change: PasswordChange,
): Promise<void> {
  const { clock, members } = context;
  const deadline = clock.uptimeMs() + PATIENCE_MS;
  const goesBy = (member: Member): Promise<boolean> =>
    member.report.capabilities.includes(CAPABILITY)
      ? confirms(context, record, { node: member.uid, withinMs: Math.ceil(Math.max(0, deadline - clock.uptimeMs())) })
      : answersAsAsked(record, change, member.report.address);
  const all = members
    .list()
    .filter(acceptsClients)
    .map(async (member) => {
      while (!(await goesBy(member)) && clock.uptimeMs() < deadline) await clock.sleep(POLL_MS);
    });
  const done = new AbortController();
  // done: the wait is over
  const patience = clock.sleep(PATIENCE_MS, done.signal).catch(() => undefined);
  await Promise.race([Promise.all(all), patience]);
  done.abort();
}

/** True when every worker of the node goes by the passwords of the record. */
async function confirms(
  { config, peers, sendToProxy }: AwaitEndpointsContext,
  { uid, passwords }: DatabaseRecord,
  { node, withinMs }: { readonly node: number; readonly withinMs: number },
): Promise<boolean> {
  const command: ProxyCommand = { op: "passwords", bdb: uid, revision: passwords?.revision ?? 0, withinMs };
  try {
    return (await (node === config.node ? sendToProxy(command) : peers.proxy(node, command))).ok;
  } catch (error) {
    if (error instanceof Fault) return false; // it may be gone, or a worker of it
    throw error;
  }
}

/**
 * True when a client of a node of a release before 0.4.0 gets what was asked for. An endpoint that speaks TLS is not asked: it may
 * want a certificate that nodes do not have.
 */
async function answersAsAsked(
  { port, tlsMode }: DatabaseRecord,
  { kind, password }: PasswordChange,
  host: string,
): Promise<boolean> {
  return tlsMode !== "disabled" || (await isRefused({ host, port, password })) === (kind === "remove");
}

interface Client {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

/** Undefined when the endpoint says nothing of the password. */
async function isRefused(client: Client): Promise<boolean | undefined> {
  try {
    await callEngine({ ...client, timeoutMs: ANSWER_MS }, "PING");
    return false;
  } catch (error) {
    const code = engineCodeOf(error);
    return code === "WRONGPASS" || code === "NOAUTH" ? true : undefined;
  }
}
