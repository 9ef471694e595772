import { PORTS } from "../../../core/api/names.ts";
import { SITES, type DemoSite } from "./objects.ts";
import { startWay, type CuttableWay } from "./way.ts";

/** The network between the sites: what one site reaches the other by. */
export interface SiteNetwork extends AsyncDisposable {
  /** Where the others reach a site. */
  readonly hosts: Readonly<Record<DemoSite, string>>;
  /** What there is to say about it. */
  readonly about: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** A host for each site that leads to it over a network with a latency, in milliseconds a direction. */
export async function openNetwork(
  hosts: Readonly<Record<DemoSite, string>>,
  targets: Readonly<Record<DemoSite, string>>,
  latencyMs: number,
): Promise<SiteNetwork> {
  await using stack = new AsyncDisposableStack();
  const ways: CuttableWay[] = [];
  for (const site of SITES)
    for (const port of [PORTS.management, PORTS.replication])
      ways.push(stack.use(await startWay({ host: hosts[site], port }, { host: targets[site], port }, latencyMs)));
  const owned = stack.move();
  return {
    hosts,
    about: `each site reaches the other one over ${latencyMs} ms`,
    cut() {
      for (const way of ways) way.cut();
      return Promise.resolve();
    },
    mend() {
      for (const way of ways) way.mend();
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
