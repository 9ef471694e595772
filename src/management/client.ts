import { Agent } from "undici";
import { Fault, messageOf } from "../base/fault.ts";
import { answerOf } from "./answer.ts";
import { faults } from "./faults.ts";
import { requestOnce, wasNeverSent } from "./request.ts";
import { routes } from "./routes.ts";
import type { ReplyOf, RequestOf, RouteName } from "./routes.ts";

export interface ManagementClientOptions {
  /** Addresses of node pods, asked anew for each call; earlier ones are tried first. */
  readonly addresses: () => readonly string[];
  readonly port: number;
  /** Name that the nodes' certificate must carry: `<rec>.<namespace>.svc.cluster.local`. */
  readonly serverName: string;
  /** Certificate authority of the cluster, PEM. */
  readonly ca: string;
  readonly username: string;
  readonly password: string;
  /** How long one address may take to answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** Typed caller of the management API (§4.2). */
export interface ManagementClient {
  /**
   * Calls `route` on the first address that answers. Moves on to the next address when a node cannot be reached or says
   * that it is no member (503); a request that must not run twice moves on only when it was never sent.
   * Failures are Faults of src/management/faults.ts.
   */
  call<N extends RouteName>(route: N, ...request: CallArguments<N>): Promise<ReplyOf<N>>;
  close(): Promise<void>;
}

type CallOptions = { readonly signal?: AbortSignal };
type CallArguments<N extends RouteName> =
  object extends RequestOf<N> ? [request?: RequestOf<N> & CallOptions] : [request: RequestOf<N> & CallOptions];

/** A client that keeps its connections open, verifies TLS against `ca` and sends Basic credentials. */
export function managementClient(options: ManagementClientOptions): ManagementClient {
  const dispatcher = new Agent({
    connect: { ca: options.ca, servername: options.serverName, timeout: options.timeoutMs },
    keepAliveTimeout: 30_000,
    connections: 8,
  });
  const authorization = `Basic ${Buffer.from(`${options.username}:${options.password}`).toString("base64")}`;

  return {
    async call(name, ...[request]) {
      const addresses = options.addresses();
      const tried: string[] = [];
      for (const address of addresses) {
        const origin = `https://${hostOf(address)}:${options.port}`;
        try {
          const answer = await requestOnce(name, request ?? {}, {
            dispatcher,
            origin,
            authorization,
            timeoutMs: options.timeoutMs,
          });
          if (answer.status !== 503 || address === addresses.at(-1)) return answerOf(name, origin, answer);
          tried.push(`${address}: not a member yet`);
        } catch (error) {
          if (error instanceof Fault || request?.signal?.aborted) throw error;
          tried.push(`${address}: ${messageOf(error)}`);
          if (!mayRunTwice(name) && !wasNeverSent(error)) break;
        }
      }
      throw unreachable(name, tried);
    },
    close: () => dispatcher.close(),
  };
}

function unreachable(name: RouteName, tried: readonly string[]): Fault {
  const { method, path } = routes[name];
  const where = tried.length === 0 ? "no address of a node is known" : tried.join("; ");
  return new Fault(faults.unreachable, `${method} ${path} reached no node: ${where}`, { route: name, tried });
}

/** Node actions and the orders to a proxy say what shall be, not what to add: asking twice is asking once. */
function mayRunTwice(name: RouteName): boolean {
  return routes[name].method !== "POST" || ["maintenanceOn", "maintenanceOff", "localProxy"].includes(name);
}

function hostOf(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
