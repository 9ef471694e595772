import { setTimeout as sleep } from "node:timers/promises";
import { until } from "#kit/testing/until";
import { BRIEF, limiterCommands } from "./applications.ts";
import { brokenRules } from "./check.ts";
import { digestOfData, readData } from "./read-data.ts";
import { EXPIRING } from "./requests.ts";
import type { SitesScene } from "./scene.ts";
import type { ScheduledAct, SiteSchedule } from "./schedule.ts";
import { startSiteClient, type SiteClient } from "./site-client.ts";
import type { Loss } from "./kept-engine.ts";
import type { Data, Session } from "./writes.ts";

/** What a seed showed. */
export interface SitesVerdict {
  readonly seed: number;
  readonly acts: number;
  /** Requests of all clients, and what of them a rule is looked at for. */
  readonly requests: number;
  readonly acknowledged: number;
  readonly unknown: number;
  /** From the last write and the last cut link until every operation was everywhere, in milliseconds. */
  readonly drainedMs: number;
  /** From there until all sites held the same. */
  readonly equalMs: number;
  /** Each a sentence; empty when the seed has passed. */
  readonly failures: readonly string[];
}

/** A site that does not come to the same as the others is given so long. */
const PATIENCE = { withinMs: 60_000, everyMs: 10 };
const BRIEF_PATIENCE = { withinMs: 10_000 };
/** By the promise, all sites hold the same so soon after every operation is everywhere; a machine that is full is given ten times that. */
export const EQUAL_WITHIN_MS = 500;
const BUSY = 10;

/** Plays a schedule while a client of each site writes, at this rate if there is one, and judges what the sites hold in the end. */
export async function playSites(
  scene: SitesScene,
  schedule: SiteSchedule,
  rate: number | undefined,
  say: (line: string) => void,
): Promise<SitesVerdict> {
  await until("all are linked", () => areDrained(scene), PATIENCE);
  const [first] = scene.nodes;
  for (const key of EXPIRING) await first?.primary.engine.call("SET", key, "1");
  await until(
    "all begin with the same",
    async () =>
      (await differences(scene)).length === 0 && (await read(scene)).every(({ keys }) => keys.size === EXPIRING.length),
    PATIENCE,
  );
  const { seed } = schedule;
  const clients = scene.nodes.map((node) =>
    startSiteClient({ site: node.id, primary: () => node.primary, seed, rate }),
  );
  const began = performance.now();
  await Promise.all([sleep(schedule.lengthMs), ...schedule.acts.map((act) => playAct(scene, act, began, say))]);
  await Promise.all(clients.map((client) => client.finish()));
  scene.heal();
  const healed = performance.now();
  await until("every operation is everywhere", () => areDrained(scene), PATIENCE).catch(withStates(scene));
  const drained = performance.now();
  await until("all hold the same", async () => (await differences(scene)).length === 0, PATIENCE).catch(
    async (error: unknown) => {
      throw new Error((await differences(scene)).slice(0, 20).join("\n"), { cause: error });
    },
  );
  const equal = performance.now();
  await endLimiters(scene);
  await until("no site remembers anything", () => areForgetful(scene), PATIENCE).catch(withStates(scene));
  return verdictOf(
    scene,
    schedule,
    clients,
    {
      drainedMs: Math.round(drained - healed),
      equalMs: Math.round(equal - drained),
    },
    say,
  );
}

async function verdictOf(
  scene: SitesScene,
  { seed, acts }: SiteSchedule,
  clients: readonly SiteClient[],
  times: Pick<SitesVerdict, "drainedMs" | "equalMs">,
  say: (line: string) => void,
): Promise<SitesVerdict> {
  const sessions = clients.map(({ session }, index) => withLosses(session, scene.nodes[index]?.losses ?? []));
  const all = sessions.flat();
  const late =
    times.equalMs > BUSY * EQUAL_WITHIN_MS
      ? [`sites held the same only ${times.equalMs} ms after every operation was everywhere`]
      : [];
  const [data] = await read(scene);
  for (const { id, lines } of scene.nodes) for (const line of lines.filter(isTelling)) say(`link ${id}: ${line}`);
  const haveEvicted = acts.some(({ act }) => act.kind === "evict");
  const broken = [
    ...(data === undefined ? [] : brokenRules(sessions, data, haveEvicted)),
    ...(await differences(scene)),
  ];
  return {
    seed,
    acts: acts.length,
    ...times,
    requests: clients.reduce((sum, { requests }) => sum + requests(), 0),
    acknowledged: all.filter(({ outcome }) => outcome === "acknowledged").length,
    unknown: all.filter(({ outcome }) => outcome !== "acknowledged").length,
    failures: [...broken, ...late],
  };
}

/** One more request gives each its time where it began without one; the time of all that is brief comes. */
async function endLimiters(scene: SitesScene): Promise<void> {
  const [first] = scene.nodes;
  const client = await first?.primary.engine.connect();
  const left = (of: readonly string[]) => async (): Promise<readonly string[]> => {
    const all = (await read(scene)).flatMap(({ keys }) => [...keys.keys()]);
    return [...new Set(all.filter((key) => of.some((name) => key.startsWith(name))))];
  };
  for (const key of await left(["limiter:"])()) await client?.callAll(limiterCommands(key), "utf8");
  client?.close();
  // what is left is shown by the rules
  await until("what is brief is over", async () => (await left(BRIEF)()).length === 0, BRIEF_PATIENCE).catch(
    () => undefined,
  );
  await until("all hold the same again", async () => (await differences(scene)).length === 0, PATIENCE);
}

/** What the disk of the site had lost. */
function withLosses(session: Session, losses: readonly Loss[]): Session {
  return session.map((write) => {
    const isLost = losses.some(({ from, to }) => write.ended >= from && write.began <= to);
    return isLost ? { ...write, outcome: "lost" } : write;
  });
}

/** What a link logs of its engine, and what ends it. */
function isTelling(line: string): boolean {
  return /is followed|error/.test(line);
}

async function playAct(
  scene: SitesScene,
  { fromMs, act }: ScheduledAct,
  began: number,
  say: (line: string) => void,
): Promise<void> {
  await sleep(Math.max(0, began + fromMs - performance.now()));
  const note = (what: string): void =>
    say(`${Math.round(performance.now() - began)} ms: ${what} ${JSON.stringify(act)}`);
  note("begins");
  await scene.play(act);
  note("ends");
}

/** Every site is linked with every other one, and each operation is where it has to be. */
async function areDrained({ nodes }: SitesScene): Promise<boolean> {
  const all = (await Promise.all(nodes.map(({ link }) => link.status()))).flat();
  return (
    all.length === nodes.length &&
    all.every(
      ({ engine, sites }) =>
        engine === "" &&
        sites.length === nodes.length - 1 &&
        sites.every(({ state, unconfirmed }) => state === "up" && unconfirmed === 0),
    )
  );
}

async function areForgetful({ nodes }: SitesScene): Promise<boolean> {
  const all = (await Promise.all(nodes.map(({ link }) => link.status()))).flat();
  return all.every(({ knownKeys, keptBytes }) => knownKeys === 0 && keptBytes < 1_000);
}

function read({ nodes }: SitesScene): Promise<readonly Data[]> {
  return Promise.all(nodes.map(({ primary }) => readData(primary.engine)));
}

/** The lines that not every site has. */
async function differences(scene: SitesScene): Promise<readonly string[]> {
  const digests = (await read(scene)).map((data) => new Set(digestOfData(data)));
  return digests.flatMap((own, index) =>
    [...own]
      .filter((line) => !digests.every((other) => other.has(line)))
      .map((line) => `site ${index + 1} alone: ${line.slice(0, 300)}`),
  );
}

function withStates({ nodes }: SitesScene): (error: unknown) => Promise<never> {
  return async (error) => {
    const states = await Promise.all(
      nodes.map(
        async ({ id, link }) => `${id}: ${JSON.stringify(await link.status())} ${link.lines.slice(-5).join("\n")}`,
      ),
    );
    throw new Error(states.join("\n"), { cause: error });
  };
}
