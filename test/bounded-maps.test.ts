import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
/** Rooms that work with what clients, strangers and other sites send. */
const ROOMS = [
  ...["client", "endpoint", "pinned", "protocol", "session", "upstream"].map((room) => `src/programs/proxy/${room}`),
  ...["src/programs/link/transport", "src/programs/agent/api", "src/programs/agent/credentials"],
  ...[
    "src/programs/webhook",
    "src/programs/operator/process",
    "src/programs/operator/cluster",
    "packages/controller-kit/src/processes",
  ],
];
/** Of a class, or of a function that goes on using it. */
const FIELD = /^ {2}(?:(?:readonly )?(#?\w+)|(?:const|let) (\w+)) = new (?:Map|Set)<[^()]*>\(\)/gm;

const CLIENTS = "an entry for each client of the endpoint: maxClients";
const CONNECTIONS = "an entry for each connection that is open: the caps of the server";

/** What bounds each map and each set that is kept there. */
const BOUNDS: Readonly<Record<string, string>> = {
  "packages/controller-kit/src/processes/connection-caps.ts #all": CONNECTIONS,
  "packages/controller-kit/src/processes/connection-caps.ts #ofAddress": CONNECTIONS,
  "src/programs/agent/api/http/auth.ts withFinished": "MOST_REMEMBERED",
  "src/programs/agent/api/http/failed-logins.ts #addresses": "MOST_ADDRESSES",
  "src/programs/agent/api/databases/client-parameters.ts #databases":
    "the databases whose parameters changed in the last second",
  "src/programs/agent/api/databases/restore-bdb.ts #bytes": "an entry for each database that there is",
  "src/programs/agent/api/databases/restore-bdb.ts #places": "an entry for each database that there is",
  "src/programs/agent/api/databases/restore-bdb.ts #runs": "an entry for each database that there is",
  "src/programs/agent/api/databases/databases.ts cached": "an entry for each database that there is",
  "src/programs/agent/api/cluster/trust.ts known": "the certificates that the node shows",
  "src/programs/agent/credentials/database-passwords.ts known": "an entry for each database that there is",
  "src/programs/agent/credentials/fair-queue.ts waiting": "FairQueueLimits",
  "src/programs/agent/credentials/user-passwords.ts known": "an entry for each user that there is",
  "src/programs/link/transport/listener.ts #sockets": "strangers: 256; and sites, which have shown their certificate",
  "src/programs/link/transport/sender.ts #late": "an entry for each other site",
  "src/programs/link/transport/strangers.ts #ofAddress": "256 strangers",
  "src/programs/link/transport/strangers.ts #open": "256 strangers",
  "src/programs/operator/cluster/controller.ts foundAtRest":
    "an entry for each cluster that there is, until the next pass",
  "src/programs/operator/cluster/module-attempts.ts #tried": "the modules that specs list now",
  "src/programs/operator/cluster/workload-writings.ts #last": "an entry for each cluster that there is",
  "src/programs/operator/cluster/missing-pods.ts #since": "an entry for each cluster whose pods are missing",
  "src/programs/operator/process/metrics.ts counts": "the controllers of the operator",
  "src/programs/proxy/client/login-turns.ts #addresses": "4,096 addresses, and those for which a client waits",
  "src/programs/proxy/client/vanished-clients.ts #before": CLIENTS,
  "src/programs/proxy/client/vanished-clients.ts #gone": CLIENTS,
  "src/programs/proxy/client/vanished-clients.ts #suspected": CLIENTS,
  "src/programs/proxy/endpoint/drain.ts #served": CLIENTS,
  "src/programs/proxy/endpoint/drain.ts seen": CLIENTS,
  "src/programs/proxy/endpoint/endpoint-parts.ts clients": CLIENTS,
  "src/programs/proxy/endpoint/endpoint.ts #leaving": CLIENTS,
  "src/programs/proxy/endpoint/guests.ts #deadlines": CLIENTS,
  "src/programs/proxy/endpoint/handshakes.ts #clients": "LIMITS.clients",
  "src/programs/proxy/endpoint/handshakes.ts #running": "LIMITS.handshakes",
  "src/programs/proxy/endpoint/listener.ts #connections": CLIENTS,
  "src/programs/proxy/endpoint/listener.ts #refused": "REFUSED_AT_ONCE",
  "src/programs/proxy/endpoint/listener.ts #servers": "two: the ports of the database",
  "src/programs/proxy/endpoint/shared-scripts.ts #unsent": "MOST_UNSENT",
  "src/programs/proxy/pinned/learnt-scripts.ts #queued": "the commands of an open transaction: LIMITS.transactionBytes",
  "src/programs/proxy/pinned/open-transaction.ts special": "LIMITS.specialBytes",
  "src/programs/proxy/pinned/redirection.ts #ids":
    "the client that is redirected to, and that of each request without a reply",
  "src/programs/proxy/pinned/shard-listeners.ts #at": "the shards of the database",
  "src/programs/proxy/protocol/subscriptions.ts #channels":
    "three kinds; channels by the bytes that a client may have kept",
  "src/programs/proxy/session/filters-in.ts ids": "the arguments of a request: its bytes are bounded",
  "src/programs/proxy/session/shards-of-node.ts shards": "the shards of the database",
  "src/programs/proxy/upstream/command-catalogue.ts #classes": "1,000 names, and the oldest goes",
  "src/programs/proxy/upstream/lane-pool.ts #slots":
    "two protocols, and the numbered databases of the engine; what it refuses is forgotten",
  "src/programs/proxy/upstream/peer-watch.ts #watched": "an entry for each connection to an engine",
  "src/programs/proxy/upstream/pin-pool.ts #pins": "the connections that clients may have for themselves",
  "src/programs/proxy/upstream/replica-rounds.ts #inRound": "an entry for each connection to the engine",
  "src/programs/proxy/upstream/replica-rounds.ts #waiting": "an entry for each connection to the engine",
  "src/programs/proxy/upstream/unblocking.ts #ending": "the connections that clients may have for themselves",
  "src/programs/proxy/upstream/arena.ts lost": "the requests of a batch",
  "src/programs/proxy/upstream/script-cache.ts #bodies": "1,000 scripts and 16 MiB",
  "src/programs/proxy/upstream/script-loader.ts #refused": "1,000 scripts of the cache",
  "src/programs/webhook/arriving-bodies.ts #held": CONNECTIONS,
  "src/programs/webhook/metrics.ts reviews": "the kinds that are judged, and one for all others",
  "src/programs/webhook/namespace-objects.ts followed": "the namespaces that are managed",
  "src/programs/webhook/open-connections.ts open": CONNECTIONS,
  "src/programs/webhook/shared-reads.ts reads": "the namespaces that are managed",
};

test("each map that what others send can fill has a bound", () => {
  const found = filesBelow(ROOT, ROOMS)
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(FIELD)].map(
        ([, field, local]) => `${file} ${field ?? local}`,
      ),
    );
  assert.deepEqual(found.toSorted(), Object.keys(BOUNDS).toSorted());
});
