import { startWay, type CuttableWay } from "../../../src/programs/demo/sites/way.ts";
import type { Address } from "../../../src/ports/management/proxy-control.ts";
import { loopbackAddress } from "../engines/engine.ts";

/** One way from each site to each other. */
export class Ways implements AsyncDisposable {
  readonly #ways = new Map<string, { readonly way: CuttableWay; readonly ends: readonly [number, number] }>();

  static async open(
    ids: readonly number[],
    listening: readonly Address[],
    latencyMs: (from: number, to: number) => number,
  ): Promise<Ways> {
    const ways = new Ways();
    const host = loopbackAddress();
    for (const from of ids)
      for (const to of ids) {
        const target = listening[to - 1];
        if (from === to || target === undefined) continue;
        ways.#ways.set(`${from} ${to}`, {
          way: await startWay({ host, port: 0 }, target, latencyMs(from, to)),
          ends: [from, to],
        });
      }
    return ways;
  }

  between(from: number, to: number): CuttableWay {
    const found = this.#ways.get(`${from} ${to}`);
    if (found === undefined) throw new Error(`there is no way from ${from} to ${to}`);
    return found.way;
  }

  cut(site: number, other: number | undefined): void {
    for (const { way, ends } of this.#ways.values())
      if (ends.includes(site) && (other === undefined || ends.includes(other))) way.cut();
  }

  /** The site reaches no other one, while others reach it. */
  cutFrom(site: number): void {
    for (const { way, ends } of this.#ways.values()) if (ends[0] === site) way.cut();
  }

  /** All, or those of a site, or those between two. */
  mend(site?: number, other?: number): void {
    for (const { way, ends } of this.#ways.values())
      if ((site === undefined || ends.includes(site)) && (other === undefined || ends.includes(other))) way.mend();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { way } of this.#ways.values()) await way[Symbol.asyncDispose]();
  }
}
