import { openAsBlob } from "node:fs";
import type { ModuleManifest } from "../../../core/api/module-manifest.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { ModuleUploaded } from "../../../ports/management/records.ts";
import { openModule } from "../../../ports/modules/archive.ts";
import { ARCHIVE_LIMITS } from "../../../ports/modules/entries.ts";
import { requireFile, unreadableFile } from "../console/files.ts";
import { faults } from "../faults.ts";

/** A module archive that was opened and found to be one. */
export interface ReadArchive {
  readonly archive: Blob;
  readonly manifest: ModuleManifest;
  /** For people: `Tally 1.0.0 for databases of 7.2`. */
  readonly title: string;
}

/** Reads an archive and looks into it before anybody is asked to take it; CLI_FILE, or what is wrong with it. */
export async function readArchive(file: string): Promise<ReadArchive> {
  const archive = await openArchive(file);
  await using module = await openModule(archive);
  const { manifest } = module;
  const { display_name, semantic_version, compatible_redis_version } = manifest;
  return {
    archive,
    manifest,
    title: `${display_name} ${semantic_version} for databases of ${compatible_redis_version}`,
  };
}

async function openArchive(file: string): Promise<Blob> {
  await requireFile(file);
  try {
    const archive = await openAsBlob(file);
    if (archive.size > ARCHIVE_LIMITS.packed)
      throw new Error(`it has ${archive.size} bytes, at most ${ARCHIVE_LIMITS.packed} are taken`);
    return archive;
  } catch (error) {
    throw unreadableFile(file, error);
  }
}

const LOOK_EVERY_MS = 200;
/** How long the nodes may take to fetch it from each other, in milliseconds. */
const PATIENCE_MS = 120_000;

/**
 * Uploads an archive and resolves with the uid of its module once every node has it. CLI_MODULE_NOT_SPREAD when that takes too long,
 * CLI_MODULE_BUNDLED when the engines of its database version bring a module of that name.
 */
export async function uploadToNodes(
  client: ManagementClient,
  archive: ReadArchive["archive"],
  clock: Clock,
): Promise<string> {
  const { uid, action_uid, module_name } = await upload(client, archive);
  const deadline = clock.uptimeMs() + PATIENCE_MS;
  for (;;) {
    // before it is asked: the last answer is one of when the time is over
    const isLate = clock.uptimeMs() > deadline;
    const { status, error = "" } = await client.call("action", { params: { uid: action_uid } });
    if (status === "completed") return uid;
    if (status === "failed" || isLate)
      throw new Fault(
        faults.moduleNotSpread,
        `module ${module_name} is not on every node: ${error || `it is ${status}`}`,
      );
    await clock.sleep(LOOK_EVERY_MS);
  }
}

async function upload(client: ManagementClient, archive: ReadArchive["archive"]): Promise<ModuleUploaded> {
  try {
    return await client.call("uploadModule", { body: { module: archive } });
  } catch (error) {
    if (error instanceof Fault && error.details["error_code"] === "module_bundled")
      throw new Fault(faults.moduleBundled, String(error.details["description"]), error.details, error);
    throw error;
  }
}
