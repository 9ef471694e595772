import assert from "node:assert/strict";
import { test } from "node:test";
import { certificateFilesIn } from "./engine-tls-files.ts";
import { changedSettings, liveSettings, renderConfig } from "./engine-config.ts";
import type { WantedInstance } from "./wanted-instance.ts";
import { directivesWith } from "../../../test/kit/facts/settings.ts";

const wanted: WantedInstance = {
  bdb: 1,
  database: { created: "2026-01-01T00:00:00.000Z", name: "db" },
  instance: 2,
  host: "10.1.2.3",
  port: 20_001,
  speaksTls: false,
  storeVersion: "7.2",
  role: "replica",
  isFollowed: false,
  launch: 0,
  fresh: false,
  primary: { host: "10.1.2.4", port: 20_002 },
  switching: false,
  upgrading: false,
  isSite: false,
  access: { internal: "i", clients: [] },
  directives: directivesWith({ memoryBytes: 1000 }),
  modules: [],
};
const certificate = { certificate: "c", key: "k", authority: "a", serverName: "engine" };
const RIGHTS = "~* &* +@all -migrate -pfdebug -pfselftest -restore-asking";
const HASH = {
  i: "de7d1b721a1e0632b7cf04edf5032c8ecffa9f9a08492152b926f1a5a7e765d7",
  p: "148de9c5a7a44d19e56cd9ae1a554bf67847afb0c58f6e12fa29ac7ddfca9940",
  q: "8e35c2cd3bf6641bdb0e2050b76932cbb2e6034a0ddacc1d9bea82a6ba57f7cf",
};
const files = {
  directory: "/data/a b",
  pidFile: "/data/a b/engine.pid",
  logFile: "/data/a b/engine.log",
  ...certificateFilesIn("/data/a b"),
};
const lines = (over: Partial<WantedInstance>, as: "primary" | "replica" = "primary"): string[] =>
  renderConfig({ ...wanted, ...over }, files, { startAs: as, version: "7.2.0", isRestored: false }).split("\n");

const rules: readonly (readonly [name: string, line: string, present: boolean, lines: string[]])[] = [
  ["a replica names its primary", "replicaof 10.1.2.4 20002", true, lines({}, "replica")],
  ["a primary names none, even when the record had one", "replicaof 10.1.2.4 20002", false, lines({})],
  [
    "an engine lets the cluster in, and only a hash is in the file",
    `user store on ${RIGHTS} #${HASH.i}`,
    true,
    lines({}),
  ],
  ["and no client", `user default off ${RIGHTS}`, true, lines({})],
  ["a replica comes as the cluster", `masteruser "store"`, true, lines({}, "replica")],
  ["with its password", `masterauth "i"`, true, lines({}, "replica")],
  [
    "while nodes of an older release are members, their passwords are accepted besides",
    `user default on ${RIGHTS} #${HASH.p} #${HASH.q}`,
    true,
    lines({ access: { internal: "i", clients: ["p", "q"] } }),
  ],
  [
    "that of the cluster too",
    `user store on ${RIGHTS} #${HASH.i}`,
    true,
    lines({ access: { internal: "i", clients: ["p", "q"] } }),
  ],
  [
    "replicas come as their primaries of the older release let them in",
    `masterauth "p"`,
    true,
    lines({ access: { internal: "i", clients: ["p", "q"] } }),
  ],
  ["as the default user", `masteruser ""`, true, lines({ access: { internal: "i", clients: ["p", "q"] } })],
  [
    "in such a cluster, an engine without a password asks for none",
    `user default on ${RIGHTS} nopass`,
    true,
    lines({ access: { clients: ["p", ""] } }),
  ],
  ["a path with a space is one value", `dir "/data/a b"`, true, lines({})],
  [
    "a value cannot end its line",
    String.raw`masterauth "a\x0adir\x22\x5c\xc3\xa9"`,
    true,
    lines({ access: { internal: 'a\ndir"\\é', clients: [] } }),
  ],
  ["settings of the database are in it", `maxmemory "1000"`, true, lines({})],
  ["a directive without a value has one that is empty", `save ""`, true, lines({})],
  [
    "debug commands only from this machine on loopback",
    `enable-debug-command "local"`,
    true,
    lines({ host: "127.1.2.3" }),
  ],
  [
    "without TLS no word of it, because an engine may be built without",
    "tls",
    false,
    lines({}, "replica").map((line) => line.slice(0, 3)),
  ],
  ["with TLS the port speaks nothing else", `port "0"`, true, lines({ speaksTls: true, certificate })],
  ["it is that of the record", `tls-port "20001"`, true, lines({ speaksTls: true, certificate })],
  ["who comes shows a certificate", `tls-auth-clients "yes"`, true, lines({ speaksTls: true, certificate })],
  [
    "a replica with TLS replicates without from a primary that has none yet",
    `tls-replication "no"`,
    true,
    lines({ speaksTls: true, certificate }, "replica"),
  ],
  [
    "a replica without TLS replicates with it from a primary that has it",
    `tls-replication "yes"`,
    true,
    lines({ certificate, primary: { host: "10.1.2.4", port: 20_002, tls: true } }, "replica"),
  ],
  ["a longer backlog in an upgrade", `repl-backlog-size "8388608"`, true, lines({ upgrading: true })],
];

for (const [name, line, present, text] of rules)
  test(`engine configuration: ${name}`, () => {
    assert.equal(text.includes(line), present, text.join("\n"));
  });

test("engine configuration: only what differs is set on a running engine", () => {
  const before = liveSettings(wanted, "7.2.0");
  assert.deepEqual(changedSettings(before, before), []);
  assert.deepEqual(
    changedSettings(before, liveSettings({ ...wanted, directives: directivesWith({ memoryBytes: 2000 }) }, "7.2.0")),
    ["maxmemory", "2000"],
  );
});

test("engine configuration: an engine is given no parameter that a later version brings", () => {
  const names = (version: string): readonly string[] =>
    Object.keys(liveSettings(wanted, version)).filter((name) => name.startsWith("set-max-listpack-"));
  assert.deepEqual(names("7.0.15"), []);
  for (const version of ["7.2.0", "7.2.5", "8.0.1", "10.0.0"])
    assert.deepEqual(names(version), ["set-max-listpack-entries", "set-max-listpack-value"], version);
});
