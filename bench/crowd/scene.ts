import { join } from "node:path";
import type { EndpointCertificate } from "../../src/core/api/endpoint-certificate.ts";
import { endpointSettings } from "../../src/core/api/settings/effects.ts";
import type { EndpointConfig } from "../../src/ports/management/proxy-control.ts";
import { startEngine, type TestEngine } from "../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy, type TestProxy } from "../../test/kit/engines/proxy.ts";
import { settingsWith } from "../../test/kit/facts/settings.ts";
import { authorityNamed, endpointCertificate } from "../../test/kit/tls/certificates.ts";
import type { CrowdOrder, CrowdTask } from "./clients.ts";
import { startHelper, type Helper, type Target } from "../helper/process.ts";
import type { StandInTask } from "./stand-in.ts";
import type { Latency } from "./tenant.ts";

/** An endpoint has 10,000 clients at most, so that the two crowds have one each. */
export const READ = 1;
export const LEFT = 2;
const OTHER = 3;

/** A proxy with databases of two crowds and of another tenant, one without a crowd, and the clients of each. */
export interface CrowdScene extends AsyncDisposable {
  readonly proxy: TestProxy;
  /** The process that serves the crowds and the tenant: the proxy, or what stands in for it. */
  readonly pid: number;
  readonly slow: Helper<CrowdOrder, number>;
  readonly vanishing: Helper<CrowdOrder, number>;
  readonly tenant: Helper<"report", Latency>;
  readonly beside: Helper<"report", Latency>;
}

/** How many there are of each crowd, the address from which each comes, and who serves them. */
export interface CrowdSize {
  readonly by: "proxy" | "stand-in";
  readonly slow: number;
  readonly vanished: number;
  readonly near: string;
  readonly gone: string;
}

/** Starts everything; no client of a crowd is connected yet. */
export async function startCrowdScene(
  tls: boolean,
  { by, slow, vanished, near, gone }: CrowdSize,
): Promise<CrowdScene> {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await startEngine());
  const others = stack.use(await startEngine());
  const authority = authorityNamed("crowd");
  const secured = { settings: endpointSettings(settingsWith({ tlsMode: "enabled" })) };
  const certificate = endpointCertificate(authority, "db");
  const over = tls ? { ...secured, certificate } : {};
  const endpoint = (bdb: number, of: TestEngine): EndpointConfig => ({ ...endpointFor(of, over), bdb });
  const target = ({ listen }: EndpointConfig): Target =>
    tls ? { ...listen, authority: authority.certificate } : { ...listen };
  const [reading, left, other, alone] = [
    endpoint(READ, engine),
    endpoint(LEFT, engine),
    endpoint(OTHER, others),
    endpoint(OTHER, others),
  ];
  const [proxy, quiet] = [stack.use(await startProxy({ within: process.env.WITHIN })), stack.use(await startProxy())];
  let { pid } = proxy;
  if (by === "proxy") await done(proxy.send({ op: "configure", endpoints: [reading, left, other] }));
  else ({ pid } = stack.use(await startStandIn([reading, left, other], others, tls ? certificate : undefined)));
  await done(quiet.send({ op: "configure", endpoints: [alone] }));
  await engine.call("SET", "large", Buffer.alloc(LARGE, "x"));
  await engine.call("SET", "small", Buffer.alloc(SMALL, "x"));
  const crowd = (task: CrowdTask): Helper<CrowdOrder, number> =>
    // elsewhere a crowd has machines of its own
    stack.use(startHelper(programOf("clients"), task, "idle"));
  const tenantOf = (of: EndpointConfig): Helper<"report", Latency> =>
    stack.use(startHelper(programOf("tenant"), target(of)));
  const asksLarge = { each: 1, times: 4, key: "large" };
  const asksSmall = { each: 2, times: 1, key: "small" };
  const scene = {
    proxy,
    pid,
    slow: crowd({ target: target(reading), from: near, count: slow, asks: asksLarge, readBytes: 4096 }),
    vanishing: crowd({ target: target(left), from: gone, count: vanished, asks: asksSmall, readBytes: 0 }),
    tenant: tenantOf(other),
    beside: tenantOf(alone),
  };
  const owned = stack.move();
  return { ...scene, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** In the place of the proxy, at the same addresses. */
async function startStandIn(
  [reading, left, other]: readonly [EndpointConfig, EndpointConfig, EndpointConfig],
  { host, port }: TestEngine,
  certificate: EndpointCertificate | undefined,
): Promise<Helper<"listen", boolean>> {
  const task: StandInTask = {
    crowds: [
      { listen: reading.listen, key: "large", bytes: LARGE },
      { listen: left.listen, key: "small", bytes: SMALL },
    ],
    tenant: { listen: other.listen, engine: { host, port } },
    ...(certificate === undefined ? {} : { shown: { cert: certificate.certificate, key: certificate.key } }),
  };
  const standIn = startHelper<"listen", boolean>(programOf("stand-in"), task);
  await standIn.ask("listen");
  return standIn;
}

function programOf(name: string): string {
  return join(import.meta.dirname, `${name}.ts`);
}

const LARGE = 2 ** 20;
const SMALL = 1024;
