import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { PORTS } from "../../../core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { faults } from "../../../ports/management/faults.ts";
import { createAuthority } from "#kit/pki/authority";
import { systemClock } from "#kit/reconcile/system-clock";
import { connectPeers } from "./peers.ts";

const octet = (): number => 20 + Math.floor(Math.random() * 230);

test("connections to peers end at once, also while a peer that is gone has not answered", async (t) => {
  const address = `127.${octet()}.${octet()}.${octet()}`;
  // accepts the connection and never answers, as a machine that hangs
  const silent = createServer((socket) => socket.resume()).listen(PORTS.management, address);
  await once(silent, "listening");
  t.after(() => silent.close());
  const ca = createAuthority({ commonName: "test", now: new Date(), days: 1 }).certificate;
  const peers = connectPeers({
    self: 1,
    addressOf: () => address,
    serverName: "rec.default.svc.cluster.local",
    clock: systemClock,
    trust: () => ({ ca, username: "admin", password: "secret" }),
  });
  const command = peers.proxy(2, { op: "drain", deadlineMs: 0 });
  // ended by close, not by its own deadline
  const ended = assert.rejects(
    command,
    (error) => isFault(error, faults.unreachable) && /destroyed/.test(error.message),
  );
  await once(silent, "connection");
  await peers.close();
  await ended;
});
