import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { carriedVersions } from "../../../core/releases/catalogue/find.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import type { VersionModules } from "../../../core/releases/engines/bundled-module.ts";
import { chooseEngine } from "../../../core/releases/engines/engines.ts";
import { modulesOfEngine } from "../../../mechanisms/supervisor/engine-modules.ts";
import { discoverEngines } from "../../../mechanisms/supervisor/engines.ts";

export interface OwnModulesDeps {
  /** Where engines are looked for. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly release: Release;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the engines of this process's own image bring, by what they say of themselves; an engine that does not say brings nothing. */
export async function readOwnModules({ env, release, ...tools }: OwnModulesDeps): Promise<readonly VersionModules[]> {
  const found = await discoverEngines(env);
  const served = carriedVersions(release).flatMap((storeVersion) => {
    const engine = chooseEngine(storeVersion, found)?.engine;
    return engine === undefined ? [] : [{ storeVersion, engine }];
  });
  const known: VersionModules[] = [];
  // one may stand for several versions and is asked once; one after the other, for the memory of an operator is small
  for (const [engine, versions] of Map.groupBy(served, (one) => one.engine)) {
    const modules = ((await modulesOfEngine(engine, tools)) ?? []).map(({ name }) => name);
    for (const each of versions.map(({ storeVersion }) => ({ storeVersion, modules }))) known.push(each);
  }
  return known;
}
