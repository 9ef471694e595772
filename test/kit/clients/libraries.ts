import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "#kit/base/fault";
import { buildGo, buildJvm, buildPython, buildRust } from "./builds.ts";

/** The client libraries that this kit plays clients with. */
export type LibraryName =
  "ioredis" | "node-redis" | "redis-py" | "glide" | "go-redis" | "jedis" | "lettuce" | "redisson" | "redis-rs";

/** A client library as released, and the program that plays a client with it. */
export interface Library {
  readonly name: LibraryName;
  /** Followed by host, port and the name of the client. */
  readonly command: readonly string[];
}

interface Source {
  /** The file that makes the client, from this folder. */
  readonly file: string;
  /** The file that says which release is used, from the checkout. */
  readonly pinnedIn: string;
  readonly version: RegExp;
  build(): Promise<readonly string[]>;
}

const HERE = import.meta.dirname;
const KIT = "test/kit/clients";
const POM = `${KIT}/jvm/pom.xml`;

const SOURCES: Readonly<Record<LibraryName, Source>> = {
  ioredis: from("recorder.ts", "package.json", /"ioredis": "([^"]+)"/, () => node("ioredis")),
  "node-redis": from("recorder.ts", "package.json", /"@redis\/client": "([^"]+)"/, () => node("node-redis")),
  "redis-py": from("python/use_redis_py.py", `${KIT}/python/requirements-redis-py.txt`, /^redis==(\S+)/m, () =>
    buildPython("redis-py"),
  ),
  glide: from("python/use_glide.py", `${KIT}/python/requirements-glide.txt`, /^valkey-glide-sync==(\S+)/m, () =>
    buildPython("glide"),
  ),
  "go-redis": from("go/main.go", `${KIT}/go/go.mod`, /go-redis\/v9 v(\S+)/, buildGo),
  jedis: from("jvm/JedisClient.java", POM, artifact("jedis"), () => buildJvm("jedis")),
  lettuce: from("jvm/LettuceClient.java", POM, artifact("lettuce-core"), () => buildJvm("lettuce")),
  redisson: from("jvm/RedissonClient.java", POM, artifact("redisson"), () => buildJvm("redisson")),
  "redis-rs": from("rust/src/main.rs", `${KIT}/rust/Cargo.toml`, /redis = \{ version = "=([^"]+)/, buildRust),
};

/** Every library of the kit. */
export const NAMES: readonly LibraryName[] = [
  "ioredis",
  "node-redis",
  "redis-py",
  "glide",
  "go-redis",
  "jedis",
  "lettuce",
  "redisson",
  "redis-rs",
];

/** Those of `names` that this machine can run, built where they need it; `missing` says why others are not there. */
export async function libraries(
  names: readonly LibraryName[] = NAMES,
): Promise<{ readonly found: readonly Library[]; readonly missing: readonly string[] }> {
  const found: Library[] = [];
  const missing: string[] = [];
  for (const name of names)
    try {
      found.push({ name, command: await SOURCES[name].build() });
    } catch (error) {
      missing.push(`${name}: ${messageOf(error).slice(0, 600)}`);
    }
  return { found, missing };
}

/** The release of the library that is used. */
export async function versionOf(name: LibraryName): Promise<string> {
  const { pinnedIn, version } = SOURCES[name];
  const found = version.exec(await readFile(join(HERE, "../../..", pinnedIn), "utf8"))?.[1];
  if (found === undefined) throw new Error(`${pinnedIn} does not say which ${name} is used`);
  return found.replace(/\.RELEASE$/, "");
}

/** The program that makes the client of the library. */
export async function sourceOf(name: LibraryName): Promise<string> {
  return readFile(join(HERE, SOURCES[name].file), "utf8");
}

function from(file: string, pinnedIn: string, version: RegExp, build: () => Promise<readonly string[]>): Source {
  return { file, pinnedIn, version, build };
}

function artifact(name: string): RegExp {
  return new RegExp(`${name}</artifactId>\\s*<version>([^<]+)`);
}

function node(name: string): Promise<readonly string[]> {
  return Promise.resolve([process.execPath, join(HERE, "recorder.ts"), name]);
}
