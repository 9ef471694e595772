import { upgradeBacklog } from "../../core/api/settings/replication-buffers.ts";
import { knownDirectives } from "../../core/api/settings/engine-parameters.ts";
import type { Directives } from "../../core/api/settings/setting.ts";
import { certificateSettings } from "./engine-tls-files.ts";
import type { CertificateFiles } from "./engine-tls-files.ts";
import { accessSettings, userRules } from "./engine-users.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** Where the engine keeps its files. */
export interface EngineFiles extends CertificateFiles {
  readonly directory: string;
  readonly pidFile: string;
  readonly logFile: string;
}

/**
 * After this time a script counts as long, in milliseconds: the engine answers others that it is busy, and the script can be
 * killed. Engines take 5 s by default, and until then they answer nothing, so that they could not be told from dead ones.
 */
const LONG_SCRIPT_MS = 250;

/** How often a primary pings its replicas, in seconds. One counts as in sync once something has come by the stream: at an idle primary that is a ping. */
export const PING_PERIOD_S = 1;

/** The whole configuration file of an engine of that version that starts; a primary has no `replicaof`. Holds a password: mode 0600. */
export function renderConfig(
  wanted: WantedInstance,
  files: EngineFiles,
  {
    startAs,
    version,
    isRestored,
  }: { readonly startAs: "primary" | "replica"; readonly version: string; readonly isRestored: boolean },
): string {
  const settings = {
    ...fixedSettings(wanted, files),
    ...liveSettings(wanted, version),
    ...(startAs === "replica" ? replication(wanted) : {}),
    // a file that comes from elsewhere is checked as what RESTORE is given
    ...(isRestored ? { "sanitize-dump-payload": "yes" } : {}),
  };
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} ${name === "replicaof" ? value : quoteDirective(value)}`,
  );
  return [
    ...lines,
    ...userRules(wanted).map((rules) => `user ${rules.join(" ")}`),
    ...wanted.modules.map(loadModuleLine),
    "",
  ].join("\n");
}

/** The directive by which an engine loads a module at its start. */
export function loadModuleLine({ path, args }: WantedInstance["modules"][number]): string {
  const words = args.split(/\s+/).filter((word) => word !== "");
  return ["loadmodule", quoteDirective(path), ...words.map(quoteDirective)].join(" ");
}

/** Directives that follow the record while the engine, of that version, runs. */
export function liveSettings(wanted: WantedInstance, version: string): Directives {
  const directives = knownDirectives(version, wanted.directives);
  return { ...directives, ...(wanted.upgrading ? upgradeBacklog(directives) : {}) };
}

/** Name and value of each directive that differs, for one CONFIG SET; empty when nothing does. */
export function changedSettings(before: Directives, after: Directives): readonly string[] {
  return Object.entries(after)
    .filter(([name, value]) => before[name] !== value)
    .flat();
}

function fixedSettings(wanted: WantedInstance, files: EngineFiles): Directives {
  const { host, port } = wanted;
  return {
    bind: host,
    ...listenDirectives(wanted, files),
    ...accessSettings(wanted.access),
    dir: files.directory,
    pidfile: files.pidFile,
    logfile: files.logFile,
    loglevel: "notice",
    "always-show-logo": "no",
    daemonize: "no",
    // an engine that handles its own crash can hang there with its port open; one that ends at once is replaced at once
    "crash-log-enabled": "no",
    // digests compare replicas with their primary; engines call only 127.0.0.0/8 local, endpoints deny DEBUG to clients
    "enable-debug-command": host.startsWith("127.") ? "local" : "yes",
    // what RESTORE is given is checked to its last byte: a value that no engine wrote ends the first one that reads or digests it
    "sanitize-dump-payload": "clients",
    "replica-announce-ip": host,
    "replica-announce-port": String(port),
    "replica-read-only": "yes",
    "repl-diskless-sync": "yes",
    "repl-diskless-sync-delay": "0",
    "repl-ping-replica-period": String(PING_PERIOD_S),
    // where memory ends, forks end first, then engines, and the agent and the proxy of all databases last
    "oom-score-adj": "relative",
    "oom-score-adj-values": "200 400 800",
    // the former name of busy-reply-threshold, which every engine knows
    "lua-time-limit": String(LONG_SCRIPT_MS),
    // longer than a switchover needs: a demoted or stopping primary is waited for by the supervisor's own grace
    "shutdown-timeout": "3",
  };
}

/** An engine that is built without TLS knows none of its directives. */
function listenDirectives({ port, speaksTls, certificate }: WantedInstance, files: EngineFiles): Directives {
  const shown = certificate === undefined ? {} : certificateSettings(files);
  return speaksTls ? { port: "0", "tls-port": String(port), ...shown } : { port: String(port), ...shown };
}

/** The link follows how the primary listens: while a database moves to TLS or from it, that may be otherwise than here. */
function replication({ primary, certificate }: WantedInstance): Directives {
  if (primary === undefined) return {};
  const link = certificate === undefined ? {} : { "tls-replication": primary.tls === true ? "yes" : "no" };
  return { ...link, replicaof: `${primary.host} ${primary.port}` };
}

/** In the engine's own quoting: a value cannot end its line or its quotes, whatever it holds. */
export function quoteDirective(value: string): string {
  const escaped = [...Buffer.from(value, "utf8")].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
      ? `\\x${byte.toString(16).padStart(2, "0")}`
      : String.fromCharCode(byte),
  );
  return `"${escaped.join("")}"`;
}
