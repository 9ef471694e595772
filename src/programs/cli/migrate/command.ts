import { Command, InvalidArgumentError } from "commander";
import { Secrets } from "#kit/kube/builtin";
import { Fault } from "#kit/base/fault";
import { faults } from "../../../core/migration/faults.ts";
import { migrationObstacles } from "../../../core/migration/obstacles.ts";
import { Migration } from "../../../mechanisms/migration/migration.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import {
  withAccess,
  withNamespaceOptions,
  type NamespaceAccess,
  type NamespaceOptions,
} from "../access/namespace-access.ts";
import { EXIT, type Asking, type ExitCode } from "../console/context.ts";
import { readTextFile } from "../console/files.ts";
import { foldText } from "../console/output.ts";
import { faults as cliFaults } from "../faults.ts";
import { databasePlace, type MigrationEndpoint } from "./database-place.ts";
import { emptyDatabase, askDestinationFacts, askSourceFacts } from "./facts.ts";
import { leadIn } from "./lead-in.ts";
import { migrationPlanText, receiptText } from "./report.ts";
import { readSourceUri, sourceAddress, type SourceUri } from "./source-address.ts";

interface MigrateOptions extends NamespaceOptions {
  readonly secret?: string;
  readonly ca?: string;
  readonly sni?: string;
  readonly endpoint?: MigrationEndpoint;
  readonly pause: number;
  readonly replace?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
}

/** `storectl migrate`: leads a service outside into a database, while both serve. */
export function migrateCommand(context: Asking): Command {
  const command = new Command("migrate")
    .description("lead a Redis or Valkey service into an empty database: copy, follow, compare, cut over")
    .argument("<uri>", "the service: redis://host:port or rediss://host:port, with user@ where it has users")
    .argument("<database>", "the database that is filled")
    .option("--secret <name>", "Secret with password, and username and ca.crt where there are some, of the service")
    .option("--ca <file>", "certificates of the authority of the service (default: those of the system)")
    .option("--sni <name>", "name in the certificate of the service, when the URI has another")
    .option(
      "--endpoint <address>",
      "host:port of the database as this machine reaches it (default: inside the cluster)",
      readPlace,
    )
    .option("--pause <milliseconds>", "how long writes of the service may wait at the cut-over", readPause, 1_000)
    .option("--replace", "delete what is in the database before")
    .option("--check", "say what is in the way, and begin nothing")
    .option("--yes", "agree to all questions beforehand")
    .action(async (text: string, database: string, options: MigrateOptions) => {
      const request = { ...options, uri: readSourceUri(text), database };
      context.end(await withAccess(options, context, (access) => migrate(access, context, request)));
    });
  return withNamespaceOptions(command);
}

interface MigrationRequest extends MigrateOptions {
  readonly uri: SourceUri;
  readonly database: string;
}

async function migrate(access: NamespaceAccess, context: Asking, request: MigrationRequest): Promise<ExitCode> {
  const { database, replace = false } = request;
  const source = await addressOf(access, request);
  const place = await databasePlace(access, database, request.endpoint);
  const { shards, memory, endpoint } = place;
  const [from, into] = await Promise.all([
    askSourceFacts(source),
    askDestinationFacts(endpoint, { name: database, shards, memory, isReplaced: replace }),
  ]);
  context.print(migrationPlanText(from, into));
  const obstacles = migrationObstacles(from, into);
  for (const { code, message, forPeople } of obstacles)
    context.print(`\n${foldText(`${code}: ${message}`, "")}${foldText(`do: ${forPeople}`, "   ")}`);
  if (obstacles.length > 0) return EXIT.found;
  if (request.check === true) return EXIT.ok;
  if (request.yes !== true && context.ask === undefined)
    throw new Fault(faults.notAgreed, "there is no terminal to ask whether the source may be cut over");
  if (into.keys > 0) {
    if (!(await agreeTo(context, request, `Delete the ${into.keys} keys of ${database}?`))) return EXIT.found;
    await emptyDatabase(endpoint);
  }
  return perform(context, request, { source, endpoint, shards: place.slots, databases: [...from.keys.keys(), 0] });
}

interface Ways {
  readonly source: EngineAddress;
  readonly endpoint: EngineAddress;
  readonly shards: Awaited<ReturnType<typeof databasePlace>>["slots"];
  readonly databases: readonly number[];
}

async function perform(context: Asking, request: MigrationRequest, ways: Ways): Promise<ExitCode> {
  const { clock, print } = context;
  const end = new AbortController();
  const interrupt = context.interrupt?.() ?? end.signal;
  const signal = AbortSignal.any([end.signal, interrupt]);
  const began = clock.uptimeMs();
  try {
    using migration = await Migration.begin({ ...ways, signal });
    const cut = await leadIn(migration, {
      print,
      clock,
      signal,
      databases: [...new Set(ways.databases)],
      pauseMs: request.pause,
      agree: () => agreeTo(context, request, "Pause writes at the source, and cut over?"),
    });
    if (cut === undefined) return EXIT.found;
    print(receiptText(await migration.progress(), cut, (clock.uptimeMs() - began) / 1_000));
    return EXIT.ok;
  } catch (error) {
    if (interrupt.aborted) throw new Fault(faults.left, "The migration was broken off.", {}, error);
    throw error;
  } finally {
    end.abort();
  }
}

async function agreeTo(context: Asking, { yes }: MigrationRequest, question: string): Promise<boolean> {
  if (yes === true) return true;
  return (await context.ask?.(`${question} [y/N] `))?.trim().toLowerCase().startsWith("y") ?? false;
}

async function addressOf({ kube, namespace }: NamespaceAccess, request: MigrationRequest): Promise<EngineAddress> {
  const { uri, secret: name, ca, sni } = request;
  const secret = name === undefined ? undefined : await kube.get(Secrets, { name, namespace });
  if (name !== undefined && secret === undefined)
    throw new Fault(cliFaults.refused, `namespace ${namespace} has no Secret "${name}"`);
  const authority = ca === undefined ? undefined : await readTextFile(ca);
  return sourceAddress(uri, { secret, authority, serverName: sni });
}

function readPlace(text: string): MigrationEndpoint {
  const [, host = "", port = ""] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === "" || Number(port) < 1 || Number(port) > 65_535)
    throw new InvalidArgumentError("it must be host:port, with a port from 1 to 65535");
  return { host, port: Number(port) };
}

function readPause(text: string): number {
  const pause = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (pause < 10 || pause > 60_000) throw new InvalidArgumentError("it must be a number from 10 to 60000");
  return pause;
}
