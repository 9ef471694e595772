import { loopbackAddress } from "../engines/engine.ts";
import { Linking } from "../links/linking.ts";
import { Ways } from "../links/ways.ts";
import { latencyBetween, SITES, type Act, type SiteSchedule } from "./schedule.ts";
import { SiteNode } from "./site-node.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** Three sites with real engines and links, over ways with a latency. */
export interface SitesScene extends AsyncDisposable {
  readonly nodes: readonly SiteNode[];
  /** Resolves when the act is over. */
  play(act: Act): Promise<void>;
  /** Every site reaches every other one again. */
  heal(): void;
}

/** Starts them, all empty. */
export async function startSitesScene(schedule: SiteSchedule): Promise<SitesScene> {
  await using stack = new AsyncDisposableStack();
  const listening = SITES.map(() => ({ host: loopbackAddress(), port: 9444 }));
  const ways = stack.use(await Ways.open(SITES, listening, (from, to) => latencyBetween(schedule, from, to)));
  const linking = new Linking(listening, ways, {});
  const nodes = await Promise.all(SITES.map((id) => SiteNode.start(id, versionsOf(schedule, id)[0], linking)));
  for (const node of nodes) stack.use(node);
  const owned = stack.move();
  return {
    nodes,
    play: (act) => play(act, { nodes, ways, schedule }),
    heal: () => ways.mend(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface Stage {
  readonly nodes: readonly SiteNode[];
  readonly ways: Ways;
  readonly schedule: SiteSchedule;
}

async function play(act: Act, { nodes, ways, schedule }: Stage): Promise<void> {
  const node = nodes[act.site - 1];
  if (node === undefined) throw new Error(`there is no site ${act.site}`);
  switch (act.kind) {
    case "cut":
      ways.cut(act.site, act.from);
      await sleep(act.forMs);
      ways.mend(act.site, act.from);
      break;
    case "kill":
      await { link: () => node.killLink(), primary: () => node.killPrimary(), node: () => node.killNode() }[act.part]();
      break;
    case "restart":
      await node.restart();
      break;
    case "power":
      await node.losePower(act.lostMs);
      break;
    case "evict":
      await node.evict();
      break;
    case "switchover":
      await node.switchOver();
      break;
    case "upgrade":
      await node.upgrade(versionsOf(schedule, act.site)[1]);
      break;
  }
}

function versionsOf({ engines }: SiteSchedule, site: number): readonly [string, string] {
  const versions = engines[site - 1];
  if (versions === undefined) throw new Error(`there is no site ${site}`);
  return versions;
}
