import { until } from "#kit/testing/until";
import type { TestProxy } from "./proxy.ts";

/** Resolves when the `count` requests that `send` sends through the proxy lie at the engine, which must be suspended. */
export async function atEngine(proxy: Pick<TestProxy, "stats">, count: number, send: () => void): Promise<void> {
  const { inFlight } = await proxy.stats();
  send();
  const counted = async (): Promise<boolean> => (await proxy.stats()).inFlight >= inFlight + count;
  await until(`${count} more requests wait for a reply`, counted);
  // the proxy sends at the end of the turn in which it has counted them; this is answered in a later one
  await proxy.stats();
}
