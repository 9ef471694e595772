import { createHash } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import type { UserModuleStatus } from "../../../core/api/cluster-status.ts";
import type { ModuleManifest } from "../../../core/api/module-manifest.ts";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Stored } from "#kit/kube/kube";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { openModule } from "../../../ports/modules/archive.ts";
import { downloadArchive } from "../../../ports/modules/download.ts";
import type { ClusterRecords } from "../../../mechanisms/observe/management/cluster-records.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import {
  beginAttempt,
  failedSince,
  listedModules,
  modulesToFetch,
  moduleStatusOf,
  uploadedSince,
  type ListedModule,
  type PresentModule,
} from "../../../core/planner/modules/user-modules.ts";
import { Background } from "#kit/reconcile/background";
import { keyOf, refOf } from "#kit/kube/ref";
import { faults as operatorFaults } from "../faults.ts";
import { ModuleAttempts } from "./module-attempts.ts";
import { readGiven, type GivenDeps } from "../secrets/given.ts";
import { secretText } from "../secrets/secret-text.ts";

export interface UserModulesDeps extends GivenDeps {
  readonly clock: Clock;
  /** Asks for a pass over the cluster with this key. */
  readonly enqueue: (cluster: string) => void;
  /** Aborts when the operator ends. */
  readonly signal: AbortSignal;
}

/** Installs in each cluster the modules that its spec lists; answers with the status of each module. */
export type KeepUserModules = (observation: ClusterObservation) => Promise<readonly UserModuleStatus[]>;

/**
 * Fetches what `spec.userDefinedModules` lists and the cluster lacks, looks whether it is what its name says, and uploads it as a
 * user would (§4.2): also while an upgrade is frozen, which is what it may be frozen for. A server may be slow: archives are fetched
 * beside the passes, one after the other for each cluster.
 */
export function userModulesReconciler(deps: UserModulesDeps): KeepUserModules {
  const attempts = new ModuleAttempts(deps.clock);
  const installs = new Background<UserModuleStatus>(deps.enqueue, deps.signal);
  return async (observation) => {
    const { view, records, connection, namespace, rec } = observation;
    const remembered = view.remembered.userModules ?? [];
    const listed = listedModules(view.spec);
    if (connection === undefined || "unreachable" in records) return keptOf(listed, remembered);
    const cluster = keyOf(refOf(rec));
    attempts.keepOnly(cluster, listed.map(attemptOf));
    const lacking = lackingModules(observation);
    if (!lacking.some((module) => installs.subjectOf(cluster) === subjectOf(module))) installs.end(cluster);
    const fresh: UserModuleStatus[] = [];
    for (const module of lacking) {
      const before = moduleStatusOf(module, remembered);
      const due = dueOf({ attempts, installs }, cluster, module, before);
      if (due === "announce") fresh.push(beginAttempt(module, before));
      if (due !== "try") continue;
      const state = installs.follow(cluster, subjectOf(module), (signal) =>
        install(deps, connection.client, { namespace, module, signal }),
      );
      if (state.kind === "failed") throw state.error;
      if (state.kind !== "under-way") fresh.push(statusAfter(state.result, before, presentOf(records)));
    }
    return keptOf(listed, [...fresh, ...remembered]);
  };
}

interface Installing {
  readonly attempts: ModuleAttempts;
  readonly installs: Background<UserModuleStatus>;
}

/** What is to be done now about a module that the cluster lacks: an install that is under way goes on, and the others wait for their turn. */
function dueOf(
  { attempts, installs }: Installing,
  cluster: string,
  module: ListedModule,
  before: UserModuleStatus | undefined,
): ReturnType<ModuleAttempts["due"]> {
  const underWay = installs.subjectOf(cluster);
  if (underWay !== undefined) return underWay === subjectOf(module) ? "try" : "later";
  return installs.underWay() < ARCHIVES_AT_ONCE ? attempts.due(cluster, attemptOf(module), before) : "later";
}

function statusAfter(
  status: UserModuleStatus,
  before: UserModuleStatus | undefined,
  present: readonly PresentModule[],
): UserModuleStatus {
  const after = status.state === "Installed" ? status : inVain(status, before, present);
  return after.state === "Installed" ? after : { ...after, attempts: before?.attempts ?? 1 };
}

/** An archive is kept in the memory of the operator while it is installed. */
const ARCHIVES_AT_ONCE = 2;

/** What identifies an attempt: another login or digest makes another attempt. */
function subjectOf({ name, url, sha256, credentialsSecret }: ListedModule): string {
  return JSON.stringify([name, url, sha256, credentialsSecret]);
}

function attemptOf({ name, url }: ListedModule): string {
  return JSON.stringify([name, url]);
}

/** Whether the cluster lacks a module that its spec lists, as far as it reports. */
export function lacksUserModules(observation: ClusterObservation): boolean {
  return lackingModules(observation).length > 0;
}

function lackingModules({ view, records }: ClusterObservation): readonly ListedModule[] {
  if ("unreachable" in records) return [];
  return modulesToFetch(listedModules(view.spec), view.remembered.userModules ?? [], presentOf(records));
}

function presentOf({ modules, actions }: ClusterRecords): readonly PresentModule[] {
  const failed = actions.filter(({ status }) => status === "failed").map(({ object_name }) => object_name);
  return modules
    .filter(({ is_bundled }) => !is_bundled)
    .map(({ uid, module_name, display_name, semantic_version }) => ({
      name: module_name,
      displayName: display_name,
      version: semantic_version,
      isLost: failed.includes(`module:${uid}`),
    }));
}

/** What cannot be fetched may have been uploaded by hand (§7); what was there before is not what was asked for. */
function inVain(
  status: UserModuleStatus,
  before: UserModuleStatus | undefined,
  present: readonly PresentModule[],
): UserModuleStatus {
  const uploaded = uploadedSince(before, present);
  if (uploaded !== undefined) {
    return { ...status, state: "Installed", message: "", moduleName: uploaded.name, version: uploaded.version };
  }
  return failedSince(status, before, present);
}

/** The status of the listed modules, in the order of the spec. */
function keptOf(listed: readonly ListedModule[], known: readonly UserModuleStatus[]): readonly UserModuleStatus[] {
  return listed.map((module) => moduleStatusOf(module, known)).filter((status) => status !== undefined);
}

async function install(
  deps: GivenDeps,
  client: ManagementClient,
  {
    namespace,
    module,
    signal,
  }: { readonly namespace: string; readonly module: ListedModule; readonly signal: AbortSignal },
): Promise<UserModuleStatus> {
  const { name, url } = module;
  try {
    const archive = await downloadArchive({ url, ...(await accessTo(deps, namespace, module)) }, signal);
    const message = await digestObjection(module, archive);
    if (message !== undefined) return { name, url, state: "Failed", message, moduleName: "", version: "" };
    await using opened = await openModule(archive);
    const { manifest } = opened;
    const { module_name: moduleName, semantic_version: version } = manifest;
    const objection = nameObjection(name, manifest);
    if (objection !== undefined) return { name, url, state: "Failed", message: objection, moduleName, version };
    await client.call("uploadModule", { body: { module: archive } }, { signal });
    return { name, url, state: "Installed", message: "", moduleName, version };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { name, url, state: "Failed", message: messageOf(error), moduleName: "", version: "" };
  }
}

/** Undefined when the archive is the one that is listed, or any will do. */
async function digestObjection({ sha256 }: ListedModule, archive: Blob): Promise<string | undefined> {
  if (sha256 === undefined) return undefined;
  const hash = createHash("sha256");
  for await (const chunk of archive.stream()) hash.update(chunk);
  const found = hash.digest("hex");
  return found === sha256
    ? undefined
    : `its archive has the sha256 ${found}, and spec.userDefinedModules says ${sha256}`;
}

/** §2.2: otherwise it would be unclear which module is meant. Undefined when the name is one of the manifest's. */
function nameObjection(name: string, manifest: ModuleManifest): string | undefined {
  const { module_name: short, display_name: long } = manifest;
  if (name === short || name === long) return undefined;
  return `it is listed as "${name}", and its manifest says module_name "${short}" and display_name "${long}"`;
}

interface Access {
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly ca?: string;
}

/**
 * The Secret may hold the authority of the server too, under `ca.crt`. It is sent to no host but those to which its owner gives it: who
 * writes the spec may not be allowed to read it.
 */
async function accessTo(
  deps: GivenDeps,
  namespace: string,
  { credentialsSecret: name, url }: ListedModule,
): Promise<Access> {
  if (name === undefined) return {};
  const { secret, objection } = await readGiven(deps, { name, namespace }, { kind: "module", url: new URL(url) });
  if (objection !== undefined) {
    throw new Fault(operatorFaults.secretNotGiven, `${objection.evidence}; ${objection.remedy}`);
  }
  if (secret === undefined) {
    throw new Fault(operatorFaults.noSecret, `secret ${name} with the credentials of the module is not there`);
  }
  const ca = secretText(secret, "ca.crt");
  return { ...loginOf(secret), ...(ca === "" ? {} : { ca }) };
}

function loginOf(secret: Stored<Secret>): Pick<Access, "credentials"> {
  const [username, password] = [secretText(secret, "username"), secretText(secret, "password")];
  return username === "" && password === "" ? {} : { credentials: { username, password } };
}
