import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { parseVersion } from "#kit/base/version";
import type { BundledModule } from "../../core/releases/engines/bundled-module.ts";
import type { EngineClient } from "../../ports/resp/engine-client.ts";
import { modulesIn, semanticVersion } from "../../ports/resp/loaded-modules.ts";
import { textOf } from "../../ports/resp/reply.ts";
import { askFreshEngine } from "./engine-probe.ts";
import type { FoundEngine } from "./engines.ts";

/** A module that an engine brings. */
export interface FoundModule extends BundledModule {
  /** The shared object that has to be loaded; absent when the module is built in. */
  readonly path?: string;
}

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
  const probe = { password, configuration: (port: number) => configuration(engine, port, password) };
  try {
    const files = await filesBeside(engine);
    return await askFreshEngine(engine, probe, clock, (client) => loadModules(client, files));
  } catch (error) {
    log.warn("an engine does not say which modules it brings", { engine: engine.path, error: messageOf(error) });
    return undefined;
  }
}

/** The configuration of an engine that keeps nothing, and takes commands of this process alone. */
function configuration({ version }: FoundEngine, port: number, password: string): readonly string[] {
  // earlier ones load modules without a permission, and do not know the setting
  const mayLoad = (parseVersion(version)?.major ?? 0) >= 7 ? ["enable-module-command yes"] : [];
  return [`port ${port}`, `requirepass ${password}`, ...mayLoad];
}

async function loadModules(client: EngineClient, files: readonly string[]): Promise<readonly FoundModule[]> {
  const list = async (): Promise<readonly BundledModule[]> =>
    modulesIn(textOf(await client.call("INFO", "modules"))).map((one) => ({
      name: one.name,
      version: semanticVersion(one),
    }));
  const found: FoundModule[] = [...(await list())];
  for (const path of files) {
    await client.call("MODULE", "LOAD", path).catch(() => undefined); // for another engine: the list does not grow
    const fresh = (await list()).filter(({ name }) => !found.some((one) => one.name === name));
    for (const each of fresh.map((one) => ({ ...one, path }))) found.push(each);
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
