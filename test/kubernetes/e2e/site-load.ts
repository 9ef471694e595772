import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { SiteEndpoint, SiteLoad } from "../../../src/programs/demo/sites/clients.ts";
import type { DemoSite } from "../../../src/programs/demo/sites/objects.ts";
import { LOAD_HOME } from "./load-image.ts";
import { createLoadPod } from "./load.ts";
import type { Scene } from "./scene.ts";

/** Runs in the pod: the first line says where to connect, and each further one what to answer. */
const PROGRAM = `
import { createInterface } from "node:readline";
import { SiteClients } from "${LOAD_HOME}/src/programs/demo/sites/clients.ts";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { site, endpoint } = JSON.parse((await lines.next()).value);
const clients = new SiteClients(site, endpoint);
for await (const ask of lines) console.log(JSON.stringify(await clients[ask]()));
process.exit(0);
`;

/** Clients of a site in a pod of its namespace, on a worker of its own. */
export async function startSiteLoad(
  { kubectl, cluster }: Scene,
  site: DemoSite,
  endpoint: SiteEndpoint,
): Promise<SiteLoad> {
  const pod = await createLoadPod(kubectl, site === "east" ? "node1" : "node2", site);
  const node = ["node", "--input-type=module", "-e", PROGRAM];
  const args = ["--kubeconfig", cluster.kubeconfig, "-n", site, "exec", "--stdin", pod, "--", ...node];
  const child = spawn(cluster.controlPlane.kubectl, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => undefined); // who asks next gets no answer, and says so
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let before: Promise<unknown> = Promise.resolve();
  const ask = <K extends "written" | "stop" | "content">(what: K): ReturnType<SiteLoad[K]> => {
    const answered = before.then(async () => {
      child.stdin.write(`${what}\n`);
      const next = await answers.next();
      if (next.done === true) throw new Error(`the clients of ${site} have ended`);
      return JSON.parse(next.value) as unknown;
    });
    before = answered.catch(() => undefined); // the caller gets it
    return answered as ReturnType<SiteLoad[K]>;
  };
  child.stdin.write(`${JSON.stringify({ site, endpoint })}\n`);
  return {
    written: () => ask("written"),
    stop: () => ask("stop"),
    content: () => ask("content"),
    [Symbol.asyncDispose]: () => {
      child.kill("SIGKILL");
      return Promise.resolve();
    },
  };
}
