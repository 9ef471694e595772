import { Fault, type FaultSpec } from "#kit/base/fault";
import { needText, roomText, unitOf } from "#kit/base/sizes";
import { compareVersionText } from "#kit/base/version";
import { faults } from "./faults.ts";

/** An engine as it reports itself. */
interface KnownEngine {
  readonly family: "redis" | "valkey" | "redict";
  readonly version: string;
}

/** What a source says of itself before anything is begun. */
export interface SourceFacts {
  readonly engine: KnownEngine;
  /** Its primary, when it is a replica. */
  readonly follows: string | undefined;
  readonly isCluster: boolean;
  readonly modules: readonly string[];
  /** Keys of each numbered database that has some. */
  readonly keys: ReadonlyMap<number, number>;
  /** Bytes that its data take in memory. */
  readonly bytes: number;
  /** What its user is not allowed to do, each with what the source said. */
  readonly denied: readonly { readonly command: string; readonly said: string }[];
}

/** What the database that is to be filled says of itself. */
export interface DestinationFacts {
  readonly name: string;
  readonly engine: KnownEngine;
  readonly shards: number;
  /** Numbered databases. */
  readonly databases: number;
  readonly keys: number;
  /** Bytes that its data may take. */
  readonly memory: number;
  /** What is in it is deleted first. */
  readonly isReplaced: boolean;
}

/** All that keeps the source from being led into the database, each with live values and the way out. */
export function migrationObstacles(source: SourceFacts, into: DestinationFacts): readonly Fault[] {
  return [...obstaclesOfSource(source), ...obstaclesOfDestination(source, into)];
}

function obstaclesOfSource({ engine, follows, isCluster, modules, denied }: SourceFacts): readonly Fault[] {
  const named = engineName(engine);
  return [
    ...unless(
      rdbVersion(engine) !== undefined,
      faults.sourceVersion,
      `The source is ${named}; those of Redis from 7.0 to 8.0 and of Valkey from 7.2 to 8.1 are known.`,
    ),
    ...unless(follows === undefined, faults.sourceRole, `The source is a replica of ${follows ?? ""}.`),
    ...unless(!isCluster, faults.sourceCluster, `The source is a node of a cluster (cluster_enabled:1).`),
    ...unless(modules.length === 0, faults.sourceModules, `The source has the modules ${modules.join(", ")}.`),
    ...denied.map(({ command, said }) => new Fault(faults.sourceDenies, `The source refuses ${command}: ${said}`)),
  ];
}

function obstaclesOfDestination(source: SourceFacts, into: DestinationFacts): readonly Fault[] {
  const { name, engine, shards, databases, keys, memory, isReplaced } = into;
  const unit = unitOf(memory);
  const written = rdbVersion(source.engine);
  const outside = [...source.keys.keys()].filter((number) => number >= (shards > 1 ? 1 : databases));
  return [
    ...unless(
      written === undefined || readsVersion(engine, written),
      faults.newerData,
      `The source is ${engineName(source.engine)} and writes version ${written ?? 0} of the snapshot; ${name} has ${engineName(engine)}, which does not read it.`,
    ),
    ...unless(
      source.bytes <= memory,
      faults.tooLarge,
      `The data of the source take ${needText(source.bytes, unit)}; ${name} has ${roomText(memory, unit)} for its data.`,
    ),
    ...unless(
      outside.length === 0,
      faults.databases,
      `The source has keys in the databases ${outside.join(", ")}; ${name} has ${shards} shards and takes ${shards > 1 ? "database 0 alone" : `databases below ${databases}`}.`,
    ),
    ...unless(keys === 0 || isReplaced, faults.notEmpty, `${name} has ${keys} keys.`),
  ];
}

function unless(isSo: boolean, spec: FaultSpec, message: string): readonly Fault[] {
  return isSo ? [] : [new Fault(spec, message)];
}

function engineName({ family, version }: KnownEngine): string {
  return `${FAMILIES[family]} ${version}`;
}

/** The version of the snapshot that an engine writes; undefined for an engine that is not known. */
function rdbVersion({ family, version }: KnownEngine): number | undefined {
  const isIn = ({ from, below }: { readonly from: string; readonly below: string }): boolean =>
    (compareVersionText(version, from) ?? -1) >= 0 && (compareVersionText(version, below) ?? 1) < 0;
  return WRITTEN.find((row) => row.family === family && isIn(row))?.rdb;
}

/** An engine reads what it writes, and what earlier ones of both families have written; Valkey never had what Redis has written since 7.4. */
function readsVersion(engine: KnownEngine, written: number): boolean {
  return written <= (rdbVersion(engine) ?? 0);
}

const FAMILIES = { redis: "Redis", valkey: "Valkey", redict: "Redict" } as const;
const WRITTEN: readonly {
  readonly family: KnownEngine["family"];
  readonly from: string;
  readonly below: string;
  readonly rdb: number;
}[] = [
  { family: "redis", from: "7.0.0", below: "7.2.0", rdb: 10 },
  { family: "redis", from: "7.2.0", below: "7.4.0", rdb: 11 },
  { family: "redis", from: "7.4.0", below: "8.2.0", rdb: 12 },
  { family: "valkey", from: "7.2.0", below: "9.0.0", rdb: 11 },
];
