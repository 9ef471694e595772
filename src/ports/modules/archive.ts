import { createHash } from "node:crypto";
import { z } from "zod";
import { moduleManifest, type ModuleManifest } from "../../core/api/module-manifest.ts";
import { Fault, messageOf } from "../../core/base/fault.ts";
import { unpack } from "./entries.ts";
import { faults } from "./faults.ts";

const MANIFEST = "module.json";
const LONGEST_MANIFEST = 1 << 20;

/** A module that was unpacked. */
export interface OpenedModule {
  readonly manifest: ModuleManifest;
  /** The shared object. */
  readonly library: Buffer;
  /** Of the shared object, hexadecimal; it identifies a build. */
  readonly sha256: string;
}

/** Opens a module archive without writing anything; the fault names the file or the field that is wrong. */
export async function openModule(archive: Buffer): Promise<OpenedModule> {
  const files = await unpack(archive);
  const manifest = readManifest(files.get(MANIFEST));
  const library = libraryOf(files, manifest);
  const sha256 = createHash("sha256").update(library).digest("hex");
  if (manifest.sha256 !== undefined && manifest.sha256 !== sha256) {
    throw bad(`sha256 is ${manifest.sha256}, and the shared object has ${sha256}`);
  }
  return { manifest, library, sha256 };
}

function readManifest(bytes: Buffer | undefined): ModuleManifest {
  if (bytes === undefined) throw bad("the archive has no module.json at its top");
  if (bytes.length > LONGEST_MANIFEST)
    throw bad(`module.json has ${bytes.length} bytes, at most ${LONGEST_MANIFEST} are read`);
  const parsed = moduleManifest.safeParse(parsedJson(bytes));
  if (parsed.success) return parsed.data;
  throw bad(z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, " "));
}

function parsedJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw bad(`it is no JSON: ${messageOf(error)}`);
  }
}

/** ELF: what a shared object begins with. */
const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

function libraryOf(files: ReadonlyMap<string, Buffer>, { module_file: named }: ModuleManifest): Buffer {
  const found = [...files.keys()].filter((name) => name.endsWith(".so"));
  const name = named ?? found[0];
  const library = name === undefined ? undefined : files.get(name);
  if (library === undefined) throw bad(`the archive has no ${named ?? "file that ends in .so"} at its top`);
  if (named === undefined && found.length > 1) throw bad(`module_file is missing, and there are ${found.join(", ")}`);
  if (!library.subarray(0, MAGIC.length).equals(MAGIC)) throw bad(`${name} is no shared object`);
  return library;
}

function bad(why: string): Fault {
  return new Fault(faults.badManifest, `module.json: ${why}`);
}
