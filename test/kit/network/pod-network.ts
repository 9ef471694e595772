import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Pods as networks of their own, with this process's network between them; `inOwnNetwork` must hold. */
export class PodNetwork implements Disposable {
  readonly #pods = new Map<string, ChildProcess>();

  /** Adds a pod, which listens on these ports; its address. */
  async add(name: string, ports: readonly number[]): Promise<string> {
    const number = this.#pods.size + 1;
    const [address, router, link] = [`10.77.${number}.2`, `10.77.${number}.1`, `pod${number}`];
    const program = [process.execPath, "-e", POD, JSON.stringify(ports)];
    const pod = spawn("unshare", ["--net", ...program], { stdio: ["pipe", "pipe", "inherit"] });
    this.#pods.set(name, pod);
    await lineOf(pod);
    if (number === 1) execFileSync("sh", ["-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"]);
    run(`ip link add ${link} type veth peer name eth0 netns ${pod.pid}`);
    run(`ip address add ${router}/24 dev ${link}`);
    run(`ip link set ${link} up`);
    for (const line of [
      `ip address add ${address}/24 dev eth0`,
      "ip link set eth0 up",
      `ip route add default via ${router}`,
    ])
      run(`nsenter --target ${pod.pid} --net ${line}`);
    return address;
  }

  /** From now on these rules of nftables hold. */
  filter(rules: string): void {
    execFileSync("nft", ["-f", "-"], { input: rules });
  }

  /** The ports of an address to which a pod gets a connection. */
  async reached(from: string, address: string, ports: readonly number[]): Promise<readonly number[]> {
    const pod = this.#pods.get(from);
    if (pod === undefined) throw new Error(`there is no pod ${from}`);
    pod.stdin?.write(`${JSON.stringify({ address, ports })}\n`);
    return JSON.parse(await lineOf(pod)) as readonly number[];
  }

  [Symbol.dispose](): void {
    for (const pod of this.#pods.values()) pod.kill("SIGKILL");
  }
}

/** What runs in a pod: it listens, and connects where it is told to. */
const POD = `
const net = require("node:net");
for (const port of JSON.parse(process.argv[1])) net.createServer((socket) => socket.destroy()).listen(port, "0.0.0.0");
const isOpen = (host, port) => new Promise((resolve) => {
  const socket = net.connect({ host, port, timeout: 20000 }, () => { socket.destroy(); resolve(true); });
  socket.on("error", () => resolve(false)).on("timeout", () => { socket.destroy(); resolve(false); });
});
require("node:readline").createInterface(process.stdin).on("line", async (line) => {
  const { address, ports } = JSON.parse(line);
  const open = await Promise.all(ports.map((port) => isOpen(address, port)));
  console.log(JSON.stringify(ports.filter((_, index) => open[index])));
});
console.log("ready");
`;

async function lineOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("a pod has no output");
  const lines = createInterface(stdout);
  const [line] = (await once(lines, "line")) as [string];
  lines.close();
  return line;
}

function run(line: string): void {
  const [program = "", ...args] = line.split(" ");
  execFileSync(program, args);
}
