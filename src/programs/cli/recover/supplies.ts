import { databaseVersionOf, platformsOf } from "../../../core/api/module-manifest.ts";
import { readLicense } from "../../../ports/management/license.ts";
import type { Supplied } from "../../../core/planner/recovery/recovery.ts";
import { readTextFile } from "../console/files.ts";
import { readArchive } from "../modules/upload.ts";

/** What the user brings along, read and looked into before anything is done. */
export interface Supplies {
  readonly given: Supplied;
  /** The text of the licence; empty when none is given. */
  readonly license: string;
  /** By name of the file. */
  readonly archives: ReadonlyMap<string, Blob>;
}

interface SupplyOptions {
  readonly license?: string;
  readonly module?: readonly string[];
  readonly moduleUrl?: Readonly<Record<string, string>>;
  readonly moduleSecret?: string;
  readonly keepDigests?: boolean;
}

/** Reads licence and archives; a Fault names the one that is none. */
export async function readSupplies(options: SupplyOptions): Promise<Supplies> {
  const license = options.license === undefined ? "" : await readTextFile(options.license);
  if (options.license !== undefined) readLicense(license);
  const opened = await Promise.all(
    (options.module ?? []).map(async (file) => ({ file, ...(await readArchive(file)) })),
  );
  return {
    license,
    archives: new Map(opened.map(({ file, archive }) => [file, archive])),
    given: {
      license: options.license ?? "",
      modules: opened.map(({ file, title, manifest }) => ({
        file,
        title,
        name: manifest.module_name,
        compatible: databaseVersionOf(manifest),
        platforms: platformsOf(manifest),
      })),
      moduleUrls: options.moduleUrl ?? {},
      moduleSecret: options.moduleSecret ?? "",
      keepDigests: options.keepDigests === true,
    },
  };
}
