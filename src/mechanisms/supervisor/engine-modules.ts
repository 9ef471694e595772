import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../core/base/clock.ts";
import { messageOf } from "../../core/base/fault.ts";
import type { Log } from "../../core/base/log.ts";
import { parseVersion } from "../../core/base/version.ts";
import type { BundledModule } from "../../core/releases/engines/bundled-module.ts";
import { connectEngine, type EngineClient } from "../../ports/resp/engine-client.ts";
import { modulesIn, semanticVersion } from "../../ports/resp/loaded-modules.ts";
import { textOf } from "../../ports/resp/reply.ts";
import type { FoundEngine } from "./engines.ts";

/** A module that an engine brings. */
export interface FoundModule extends BundledModule {
  /** The shared object that has to be loaded; absent when the module is built in. */
  readonly path?: string;
}

const HOST = "127.0.0.1";
const START_MS = 10_000;
const CALL_MS = 5_000;
const RETRY_MS = 10;

/**
 * The modules of an engine, by what the engine itself says once it has loaded them: those that are built in, and those of packages
 * beside it (`<prefix>/lib/<family>/modules`, as distributions and the official images lay them out). One that it cannot load is
 * left out. Undefined when the engine does not say.
 */
export async function modulesOfEngine(
  engine: FoundEngine,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<readonly FoundModule[] | undefined> {
  const password = randomBytes(16).toString("hex");
  const port = await freePort();
  const child = spawn(engine.path, ["-"], { env: {}, cwd: "/", stdio: ["pipe", "ignore", "ignore"] });
  const ended = once(child, "close").catch(() => undefined); // it could not be started: nothing answers then
  child.stdin.on("error", () => undefined); // the same
  child.stdin.end(configuration(engine, port, password));
  try {
    const client = await answering({ host: HOST, port, password }, child, clock);
    return await loaded(client, await filesBeside(engine));
  } catch (error) {
    log.warn("an engine does not say which modules it brings", { engine: engine.path, error: messageOf(error) });
    return undefined;
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** It keeps nothing, and takes commands of this process alone. */
function configuration({ version }: FoundEngine, port: number, password: string): string {
  const settings = [`bind ${HOST}`, `port ${port}`, `requirepass ${password}`, 'save ""', "appendonly no"];
  // earlier ones load modules without a permission, and do not know the setting
  const mayLoad = (parseVersion(version)?.major ?? 0) >= 7 ? ["enable-module-command yes"] : [];
  return [...settings, ...mayLoad, ""].join("\n");
}

async function answering(
  address: { readonly host: string; readonly port: number; readonly password: string },
  child: { readonly exitCode: number | null },
  clock: Clock,
): Promise<EngineClient> {
  const deadline = clock.uptimeMs() + START_MS;
  for (;;) {
    try {
      return await connectEngine({ ...address, timeoutMs: CALL_MS });
    } catch (error) {
      if (child.exitCode !== null || clock.uptimeMs() > deadline) throw error;
      await clock.sleep(RETRY_MS);
    }
  }
}

async function loaded(client: EngineClient, files: readonly string[]): Promise<readonly FoundModule[]> {
  const list = async (): Promise<readonly BundledModule[]> =>
    modulesIn(textOf(await client.call("INFO", "modules"))).map((one) => ({
      name: one.name,
      version: semanticVersion(one),
    }));
  const found: FoundModule[] = [...(await list())];
  for (const path of files) {
    await client.call("MODULE", "LOAD", path).catch(() => undefined); // for another engine: the list does not grow
    const fresh = (await list()).filter(({ name }) => !found.some((one) => one.name === name));
    found.push(...fresh.map((one) => ({ ...one, path })));
  }
  return found;
}

/** In the order of their names. */
async function filesBeside({ path, family }: FoundEngine): Promise<readonly string[]> {
  if (basename(dirname(path)) !== "bin") return [];
  const folder = join(dirname(dirname(path)), "lib", family, "modules");
  const names = await readdir(folder).catch(() => []); // a folder that is not there holds no modules
  return names
    .filter((name) => name.endsWith(".so"))
    .toSorted()
    .map((name) => join(folder, name));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
