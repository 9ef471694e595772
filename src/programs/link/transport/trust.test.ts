import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { authorityNamed } from "../../../../test/kit/tls/certificates.ts";
import { issue } from "#kit/pki/authority";
import { dialLink } from "./trust.ts";

// A process that is stopped accepts nothing: when its queue is full, what asks for a connection is dropped as by a network that is cut.
const LISTENS = `require("net").createServer().listen({ host: "127.0.0.1", port: 0, backlog: 1 }, function () {
  console.log(this.address().port);
});`;

test("a link that gets no connection gives up soon enough to be there when the network is back", async () => {
  using stack = new DisposableStack();
  const child = spawn(process.execPath, ["-e", LISTENS], { stdio: ["ignore", "pipe", "inherit"] });
  stack.defer(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const address = { host: "127.0.0.1", port: Number(line) };
  child.kill("SIGSTOP");
  for (let queued = 0; queued < 4; queued += 1) {
    const socket = connect(address);
    socket.on("error", () => undefined); // it is never answered
    stack.defer(() => socket.destroy());
  }
  const about = { commonName: "here", dnsNames: ["here"], ipAddresses: [], usages: ["client"] as const };
  const authority = authorityNamed("own");
  const own = issue(authority, { ...about, now: new Date(), days: 1 });
  const trusted = { authorities: authority.certificate, serverName: "there" };
  const dialled = dialLink(address, { ...own, ...trusted }, trusted, new AbortController().signal);
  await assert.rejects(dialled, /cannot be connected: no answer within 1\.5 s/);
});
