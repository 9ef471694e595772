import type { StoreVersion } from "../../api/records.ts";
import { compareVersionText, parseVersion } from "#kit/base/version";

/** Families of engines that speak the protocol and the replication stream. */
export const ENGINE_FAMILIES = ["redis", "valkey", "redict"] as const;
export type EngineFamily = (typeof ENGINE_FAMILIES)[number];

/** An engine by what it reports of itself; `version` is its own, for instance "8.0.2". */
export interface EngineIdentity {
  readonly family: EngineFamily;
  readonly version: string;
}

/** The engine that serves a store version here; `standIn` when its own major.minor is another one. */
export interface ChosenEngine<E extends EngineIdentity> {
  readonly engine: E;
  readonly standIn: boolean;
}

/** Engines that may serve, best first: a family with a leading part of its version. */
const STAND_INS: Readonly<Record<StoreVersion, readonly (readonly [EngineFamily, string])[]>> = {
  "6.2": [
    ["valkey", "7.2"],
    ["redis", "6"],
    ["redis", "7.0"],
    ["redict", "7"],
    ["redis", "7"],
    ["valkey", "8"],
    ["valkey", "9"],
    ["redis", "8"],
  ],
  "7.2": [
    ["valkey", "7.2"],
    ["redis", "7.0"],
    ["redict", "7"],
    ["valkey", "8.0"],
    ["valkey", "8"],
    ["redis", "7"],
    ["valkey", "9"],
    ["redis", "8"],
  ],
  "7.4": [
    ["valkey", "8.0"],
    ["redis", "7.2"],
    ["valkey", "7.2"],
    ["valkey", "8"],
    ["redict", "7"],
    ["redis", "7"],
    ["valkey", "9"],
    ["redis", "8"],
  ],
  "8.0": [
    ["redis", "8"],
    ["valkey", "8.1"],
    ["valkey", "8"],
    ["valkey", "9"],
  ],
  "8.2": [
    ["redis", "8"],
    ["valkey", "9"],
    ["valkey", "8"],
  ],
};

/**
 * The engine of `found` that serves `storeVersion`: redis of the same major.minor, else the best stand-in; of several the
 * newest. Undefined when none may.
 */
export function chooseEngine<E extends EngineIdentity>(
  storeVersion: StoreVersion,
  found: readonly E[],
): ChosenEngine<E> | undefined {
  const order = [["redis", storeVersion] as const, ...STAND_INS[storeVersion]];
  for (const [family, version] of order) {
    const engine = newest(found.filter((one) => one.family === family && startsWith(one.version, version)));
    if (engine !== undefined) return { engine, standIn: isStandIn(storeVersion, engine) };
  }
  return undefined;
}

/** True when the engine's own major.minor is not the store version, or it is not redis. */
export function isStandIn(storeVersion: StoreVersion, engine: EngineIdentity): boolean {
  return engine.family !== "redis" || !startsWith(engine.version, storeVersion);
}

/** The store version with the engine behind it, a stand-in named as one: `8.2 (stand-in: redis 8.0.2)`. */
export function displayVersion(storeVersion: StoreVersion, engine: EngineIdentity): string {
  return `${storeVersion} (${isStandIn(storeVersion, engine) ? "stand-in: " : ""}${engineText(engine)})`;
}

/** Family and version: `redis 8.0.2`. */
export function engineText({ family, version }: EngineIdentity): string {
  return `${family} ${version}`;
}

/** Reads `engineText` back; undefined when it names no engine. */
export function parseEngine(text: string): EngineIdentity | undefined {
  const [name, version = ""] = text.split(" ");
  const family = ENGINE_FAMILIES.find((known) => known === name);
  return family === undefined || parseVersion(version) === undefined ? undefined : { family, version };
}

function startsWith(version: string, lead: string): boolean {
  return version === lead || version.startsWith(`${lead}.`);
}

function newest<E extends EngineIdentity>(engines: readonly E[]): E | undefined {
  return engines.toSorted((a, b) => compareVersionText(b.version, a.version) ?? 0)[0];
}
