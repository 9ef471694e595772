import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** Hosts of their own, with a network between them: a namespace each, on a bridge of the namespace that this process is in. */
export interface Network {
  /** Of host 1, which is this process, and of the nodes: node `uid` has host `uid + 1`. */
  address(host: number): string;
  /** Prefix of a command that then runs in the network of node `uid`. */
  enter(uid: number): readonly string[];
  /** No packet goes between two nodes until what it returns is called; "reject": what they send is answered by a refusal. */
  cut(pair: readonly [number, number], how: "drop" | "reject"): () => void;
}

const SUBNET = "10.89.7";
const address = (host: number): string => `${SUBNET}.${host}`;

/** Makes them; they end with the namespaces of this process, which has to be alone in them (run.ts). */
export function makeNetwork(nodes: number): Network {
  mkdirSync("/run/netns", { recursive: true });
  run("mount", "-t", "tmpfs", "none", "/run/netns");
  run("ip", "link", "set", "lo", "up");
  run("ip", "link", "add", "bridge", "type", "bridge");
  run("ip", "address", "add", `${address(1)}/24`, "dev", "bridge");
  run("ip", "link", "set", "bridge", "up");
  for (let uid = 1; uid <= nodes; uid += 1) addHost(uid);
  let cuts = 0;
  return {
    address,
    enter: (uid) => ["ip", "netns", "exec", nameOf(uid)],
    cut: ([one, other], how) => {
      const table = `cut${(cuts += 1)}`; // several may be there at a time
      inNode(one, ["nft", "-f", "-"], rules(table, address(other + 1), how));
      return () => inNode(one, ["nft", "delete", "table", "inet", table], "");
    },
  };
}

function addHost(uid: number): void {
  const name = nameOf(uid);
  run("ip", "netns", "add", name);
  run("ip", "link", "add", `to-${name}`, "type", "veth", "peer", "name", "eth0", "netns", name);
  run("ip", "link", "set", `to-${name}`, "master", "bridge", "up");
  run("ip", "-n", name, "address", "add", `${address(uid + 1)}/24`, "dev", "eth0");
  for (const link of ["lo", "eth0"]) run("ip", "-n", name, "link", "set", link, "up");
}

/** At one end both directions: neither end gets anything from the other. */
function rules(table: string, other: string, how: "drop" | "reject"): string {
  const verdict = how === "drop" ? "drop" : "meta l4proto tcp reject with tcp reset";
  return `table inet ${table} {
    chain out {
      type filter hook output priority 0
      ip daddr ${other} ${verdict}
    }
    chain in {
      type filter hook input priority 0
      ip saddr ${other} ${verdict}
    }
  }\n`;
}

function nameOf(uid: number): string {
  return `node${uid}`;
}

function inNode(uid: number, command: readonly string[], input: string): void {
  execFileSync("ip", ["netns", "exec", nameOf(uid), ...command], { input, stdio: ["pipe", "ignore", "inherit"] });
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
}
