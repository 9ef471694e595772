import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { endpointSettings } from "../../src/core/api/settings/effects.ts";
import type { TestEngine } from "../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../test/kit/engines/proxy.ts";
import { settingsWith } from "../../test/kit/facts/settings.ts";
import { authorityNamed, endpointCertificate } from "../../test/kit/tls/certificates.ts";
import { startHaproxy, startOther, startTwemproxy } from "./others.ts";
import type { Way } from "./way.ts";

/** Which ways are wanted besides those of `names`. */
export interface MoreWays {
  /** Folders with another version of this product. */
  readonly before: readonly string[];
  /** Programs, as `name=command`, where `{port}` and `{engine}` stand for the ports to listen at and to connect to. */
  readonly also: readonly string[];
}

/** What there is without being asked for. */
export const WAYS = ["direct", "ours", "haproxy", "twemproxy", "ours-tls"] as const;

/** Starts a proxy for each way, in front of `engine`; what is not installed is said and left out. */
export async function startWays(
  engine: TestEngine,
  names: readonly (typeof WAYS)[number][],
  { before, also }: MoreWays,
) {
  await using stack = new AsyncDisposableStack();
  const ways: Way[] = [];
  const add = async (name: string, way: Promise<Way | undefined>): Promise<void> => {
    const started = await way;
    if (started === undefined) console.log(`${name} is not installed: its columns are left out`);
    else ways.push(started);
  };
  for (const name of names) {
    if (name === "direct") ways.push({ name, address: engine });
    else if (name === "ours") await add(name, ours(stack, engine, name, OWN));
    else if (name === "ours-tls") await add(name, oursWithTls(stack, engine, name));
    else if (name === "haproxy") await add(name, startHaproxy(stack, engine));
    else await add(name, startTwemproxy(stack, engine));
  }
  for (const [at, folder] of before.entries())
    await add(folder, other(stack, engine, at === 0 ? "before" : `before${at}`, folder));
  for (const one of also) await add(one, startOther(stack, engine, one));
  const owned = stack.move();
  return { ways, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** What a version of the product starts and commands its proxy with. */
const OWN = { startProxy, endpointFor, done };
type Kit = typeof OWN;

async function ours(stack: AsyncDisposableStack, engine: TestEngine, name: string, kit: Kit): Promise<Way> {
  const proxy = stack.use(await kit.startProxy());
  const endpoint = kit.endpointFor(engine);
  await kit.done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  return { name, address: endpoint.listen, pid: proxy.pid };
}

/** Commands are those of its own version: agent and proxy are of one image. */
async function other(stack: AsyncDisposableStack, engine: TestEngine, name: string, folder: string): Promise<Way> {
  const kit: Kit = await import(resolve(folder, "test/kit/engines/proxy.ts"));
  return ours(stack, engine, name, kit);
}

async function oursWithTls(stack: AsyncDisposableStack, engine: TestEngine, name: string): Promise<Way> {
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), "bench-")), (one) => {
    rmSync(one, { recursive: true });
  });
  const authority = authorityNamed("bench");
  const authorityFile = join(folder, "ca.pem");
  writeFileSync(authorityFile, authority.certificate);
  const proxy = stack.use(await startProxy());
  const endpoint = endpointFor(engine, {
    settings: endpointSettings(settingsWith({ tlsMode: "enabled" })),
    certificate: endpointCertificate(authority, "db.test"),
  });
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  return { name, address: endpoint.listen, pid: proxy.pid, authorityFile };
}
