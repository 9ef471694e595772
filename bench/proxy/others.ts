import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address } from "../../src/ports/management/proxy-control.ts";
import { until } from "#kit/testing/until";
import type { Way } from "./way.ts";

/** HAProxy, which passes on bytes; undefined where it is not installed (Debian: `apt-get install haproxy`). */
export async function startHaproxy(stack: AsyncDisposableStack, engine: Address): Promise<Way | undefined> {
  if (!isInstalled("haproxy", ["-v"])) return undefined;
  const address = await freeAddress();
  const config = inFolder(stack, "haproxy.cfg", [
    "global",
    " maxconn 4000",
    " nbthread 1",
    "defaults",
    " mode tcp",
    " timeout connect 5s",
    " timeout client 1h",
    " timeout server 1h",
    "listen redis",
    ` bind ${address.host}:${address.port}`,
    ` server engine ${engine.host}:${engine.port}`,
  ]);
  return started(stack, "haproxy", address, ["haproxy", "-db", "-f", config]);
}

/** twemproxy, which shares connections as we do; undefined where it is not installed (Debian: `apt-get install nutcracker`). */
export async function startTwemproxy(stack: AsyncDisposableStack, engine: Address): Promise<Way | undefined> {
  if (!isInstalled("nutcracker", ["-V"])) return undefined;
  const address = await freeAddress();
  const config = inFolder(stack, "nutcracker.yml", [
    "bench:",
    `  listen: ${address.host}:${address.port}`,
    "  redis: true",
    "  hash: fnv1a_64",
    "  distribution: ketama",
    "  servers:",
    `   - ${engine.host}:${engine.port}:1`,
  ]);
  const { port } = await freeAddress(); // its statistics
  return started(stack, "twemproxy", address, ["nutcracker", "-c", config, "-s", String(port), "-a", address.host]);
}

/** Another program, given as `name=command`. */
export async function startOther(stack: AsyncDisposableStack, engine: Address, given: string): Promise<Way> {
  const address = await freeAddress();
  const [name = "", command = ""] = given.split(/=(.*)/s);
  const ports: Readonly<Record<string, number>> = { port: address.port, engine: engine.port };
  const words = command.replace(/\{(port|engine)\}/g, (_, which: string) => String(ports[which])).split(/ +/);
  return started(stack, name, address, words);
}

async function started(
  stack: AsyncDisposableStack,
  name: string,
  address: Address,
  [command = "", ...args]: readonly string[],
): Promise<Way> {
  const child = spawn(command, args, { stdio: "ignore" });
  stack.defer(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await until(`${name} accepts connections`, () => accepts(address), { everyMs: 50 });
  return { name, address, pid: child.pid ?? 0 };
}

async function accepts({ host, port }: Address): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false; // it does not listen yet
  } finally {
    socket.destroy();
  }
}

/** On 127.0.0.1, where each of these programs can be told to listen. */
export async function freeAddress(): Promise<Address> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return { host: "127.0.0.1", port };
}

function inFolder(stack: AsyncDisposableStack, name: string, lines: readonly string[]): string {
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), "bench-")), (one) => {
    rmSync(one, { recursive: true });
  });
  const file = join(folder, name);
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

function isInstalled(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).error === undefined;
}
