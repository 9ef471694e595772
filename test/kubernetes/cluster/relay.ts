// A program: carries connections from one place to another, each `tcp:host:port` or `unix:path`. The API server of a cluster listens in
// a network that this machine has no way into, but files are the same on both sides: a socket among them is the bridge.
import { connect, createServer, type ListenOptions, type NetConnectOpts } from "node:net";
import { argv } from "node:process";

const [from = "", to = ""] = argv.slice(2);

createServer((incoming) => {
  const outgoing = connect(connectTo(to));
  incoming.on("error", () => outgoing.destroy());
  outgoing.on("error", () => incoming.destroy());
  incoming.pipe(outgoing).pipe(incoming);
}).listen(listenAt(from));

function connectTo(place: string): NetConnectOpts {
  const { path, host, port } = partsOf(place);
  return path === undefined ? { host, port } : { path };
}

function listenAt(place: string): ListenOptions {
  const { path, host, port } = partsOf(place);
  return path === undefined ? { host, port } : { path };
}

function partsOf(place: string): { path?: string; host: string; port: number } {
  const [kind, first = "", second = ""] = place.split(":");
  return kind === "unix" ? { path: first, host: "", port: 0 } : { host: first, port: Number(second) };
}
