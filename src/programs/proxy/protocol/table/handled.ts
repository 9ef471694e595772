import type { CommandClass } from "./entry.ts";

/** Commands of one class, and what differs from an engine. */
export interface HandledCommands {
  readonly commandClass: CommandClass;
  readonly names: string;
  readonly note: string;
}

const NEXT_PRIMARY = "goes on at the next primary when the primary changes";

const OWN_CONNECTION = "on a connection of its own while it runs, so that it delays no other client";

const SCRIPTS_GO_ALONG =
  "what the engine has taken is known to all nodes of release 0.5.0 and later, and is loaded into the next primary when the primary changes: " +
  "the 1,000 scripts that were used last, of at most 16 MiB together; one of more than 512 KiB is known to the node of its client alone";

const ALL_NODES =
  "for the clients of the database at all nodes of release 0.4.0 and later; a node that does not answer within 1 s is left out of a list, " +
  "and an error names it otherwise";

const FIELDS =
  "the fields are those of engines: `omem`, `oll` and `events` are about what the client has not read, `multi-mem` and `tot-mem` about what the proxy keeps, " +
  "and `fd`, `qbuf`, `qbuf-free`, `argv-mem`, `rbs`, `rbp` and `obl`, which only an engine has, are 0";
/** Commands that the proxy does not simply forward. */
export const HANDLED: readonly HandledCommands[] = [
  { commandClass: "transaction", names: "MULTI EXEC DISCARD UNWATCH", note: NEXT_PRIMARY },
  { commandClass: "transaction", names: "WATCH", note: "a change of primary counts as a change of the watched keys" },
  {
    commandClass: "blocking",
    names: "BLPOP BRPOP BLMOVE BRPOPLPUSH BLMPOP BZPOPMIN BZPOPMAX BZMPOP XREAD XREADGROUP",
    note: `${NEXT_PRIMARY}, with the rest of its timeout`,
  },
  {
    commandClass: "wait",
    names: "WAIT WAITAOF",
    note: "counts the writes of all clients of the database, as clients share connections to the engine",
  },
  {
    commandClass: "sites",
    names: "WAITSITES",
    note:
      "`WAITSITES numsites timeout`, of Active-Active databases alone: waits until so many other sites have what was written before, as `WAIT` does with replicas, " +
      "and replies how many have it",
  },
  {
    commandClass: "scan",
    names: "SCAN HSCAN SSCAN ZSCAN",
    note: "the cursor names the engine that gave it: a scan goes on there when the primary changes; with `durability: sync`, and for a client whose `CLIENT TRACKING` tracks the key, it begins anew at the next primary",
  },
  {
    commandClass: "subscription",
    names: "SUBSCRIBE PSUBSCRIBE SSUBSCRIBE UNSUBSCRIBE PUNSUBSCRIBE SUNSUBSCRIBE",
    note: `${NEXT_PRIMARY}, without a message that is missing or comes twice; where the connection to an engine is lost, messages may be missing, and the subscriber's connection is ended`,
  },
  { commandClass: "identity", names: "AUTH HELLO", note: "the proxy knows the passwords of the database" },
  { commandClass: "session", names: "SELECT RESET", note: "the proxy keeps them for the client" },
  { commandClass: "quit", names: "QUIT", note: "" },
  {
    commandClass: "script",
    names: "EVAL EVAL_RO",
    note: `${OWN_CONNECTION}; ${SCRIPTS_GO_ALONG}`,
  },
  {
    commandClass: "scripts",
    names: "SCRIPT|LOAD SCRIPT|FLUSH",
    note: SCRIPTS_GO_ALONG,
  },
  { commandClass: "long", names: "EVALSHA EVALSHA_RO FCALL FCALL_RO VADD VSIM", note: OWN_CONNECTION },
  { commandClass: "kill", names: "SCRIPT|KILL FUNCTION|KILL", note: "reaches the engine past all other requests" },
  {
    commandClass: "client",
    names: "CLIENT|ID CLIENT|GETNAME CLIENT|SETNAME CLIENT|SETINFO CLIENT|REPLY",
    note: "answered by the proxy for the client's connection to it",
  },
  {
    commandClass: "client",
    names: "CLIENT|INFO",
    note: `answered by the proxy for the client's connection to it; ${FIELDS}`,
  },
  { commandClass: "client", names: "CLIENT|LIST", note: `${ALL_NODES}; ${FIELDS}` },
  { commandClass: "client", names: "CLIENT|KILL CLIENT|UNBLOCK", note: ALL_NODES },
  {
    commandClass: "client",
    names: "CLIENT|PAUSE CLIENT|UNPAUSE",
    note: `${ALL_NODES}; a proxy that starts during a pause does not know of it`,
  },
  {
    commandClass: "client",
    names: "CLIENT|MAINT_NOTIFICATIONS",
    note:
      "for RESP3, with `moving-endpoint-type` `none` or `internal-fqdn`: the client is sent `MOVING` before its node drains it. At the port for libraries in cluster mode, " +
      "with any type: it is sent `SMIGRATED` when slots are served by another node",
  },
  { commandClass: "whoami", names: "ACL|WHOAMI", note: "answered by the proxy: the engine knows only the cluster" },
  { commandClass: "client", names: "CLIENT|NO-EVICT", note: "accepted; the proxy has limits of its own for clients" },
  {
    commandClass: "tracking",
    names: "CLIENT|TRACKING",
    note:
      "with `REDIRECT` to any client of the database, at whichever node of release 0.5.0 or later it is, by its `CLIENT ID`; when the primary changes, the client that gets " +
      "the messages gets the one that invalidates all its keys, and what is tracked is so at the next primary",
  },
  {
    commandClass: "monitor",
    names: "MONITOR",
    note: "shows the commands of all nodes, with the node in place of the client, and those of the cluster; only `QUIT`, `RESET` and the loss of the engine end it",
  },
  { commandClass: "caching", names: "CLIENT|CACHING", note: NEXT_PRIMARY },
  {
    commandClass: "view",
    names: "CONFIG|GET",
    note: "the parameters of the primary, with address and `maxclients` of the endpoint, and without passwords",
  },
  {
    commandClass: "parameters",
    names: "CONFIG|SET",
    note:
      "the parameters that spec.engineParameters may have and does not name, for the whole database: its record keeps them for every later primary, " +
      "version and node; others are refused, and so are all while a node of a release before 0.4.0 is a member",
  },
  {
    commandClass: "write",
    names: "CONFIG|RESETSTAT",
    note: "resets what the engine that is primary counts; the metrics of the database stay, but for the requests a second, which begin anew",
  },
  {
    commandClass: "read",
    names:
      "CLUSTER|SLOTS CLUSTER|SHARDS CLUSTER|NODES CLUSTER|INFO CLUSTER|KEYSLOT CLUSTER|MYID CLUSTER|MYSHARDID CLUSTER|LINKS CLUSTER|HELP",
    note: `with \`ossCluster\`, the proxy answers: nodes serve slots, and there are no links between them; without, the engine answers that it is no cluster`,
  },
  {
    commandClass: "read",
    names: "CLUSTER|COUNTKEYSINSLOT CLUSTER|GETKEYSINSLOT CLUSTER|SLOT-STATS",
    note: "with `ossCluster`, refused: engines keep no keys by slot; without, the engine answers that it is no cluster",
  },
  // engines end the connection on these too: a web page may make a browser send them
  { commandClass: "hostile", names: "POST HOST:", note: "ends the connection" },
];

const USERS = "passwords and roles of the database are given in its definition";

/** Commands that clients of a database cannot use, by the reason. */
export const REFUSED: readonly { readonly why: string; readonly names: string }[] = [
  { why: "it makes the engine connect to other servers", names: "MIGRATE" },
  {
    why: "the cluster decides which engine is primary",
    names: "REPLICAOF SLAVEOF FAILOVER SYNC PSYNC REPLCONF",
  },
  { why: "the cluster starts and stops engines", names: "SHUTDOWN" },
  { why: "modules are given in the database's definition", names: "MODULE|LOAD MODULE|LOADEX MODULE|UNLOAD" },
  { why: "persistence is given in the database's definition", names: "SAVE BGSAVE BGREWRITEAOF" },
  { why: "the record of the database keeps what CONFIG SET sets", names: "CONFIG|REWRITE" },
  {
    why: USERS,
    names: "ACL|DELUSER ACL|DRYRUN ACL|GETUSER ACL|LIST ACL|LOAD ACL|LOG ACL|SAVE ACL|SETUSER ACL|USERS",
  },
  { why: "it stops the connection that clients share", names: "SCRIPT|DEBUG" },
  { why: "it is for tests of an engine", names: "DEBUG PFDEBUG PFSELFTEST" },
  {
    why: "clients see no cluster without `ossCluster`; with it, the reply is OK, and any node takes reads and writes",
    names: "ASKING READONLY READWRITE",
  },
  {
    why: "the product alone says which node serves which slots",
    names:
      "RESTORE-ASKING CLUSTER|ADDSLOTS CLUSTER|ADDSLOTSRANGE CLUSTER|BUMPEPOCH " +
      "CLUSTER|COUNT-FAILURE-REPORTS CLUSTER|DELSLOTS CLUSTER|DELSLOTSRANGE CLUSTER|FAILOVER CLUSTER|FLUSHSLOTS " +
      "CLUSTER|FORGET CLUSTER|MEET CLUSTER|REPLICAS CLUSTER|REPLICATE CLUSTER|RESET CLUSTER|SAVECONFIG " +
      "CLUSTER|SET-CONFIG-EPOCH CLUSTER|SETSLOT CLUSTER|SLAVES",
  },
  {
    why: "clients share connections to the engine",
    names: "CLIENT|CAPA CLIENT|IMPORT-SOURCE CLIENT|NO-TOUCH",
  },
];
