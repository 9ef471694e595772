import { createHash } from "node:crypto";
import { z } from "zod";
import { moduleManifest, type ModuleManifest } from "../../core/api/module-manifest.ts";
import { Fault, messageOf } from "#kit/base/fault";
import { openArchive, type Archive } from "./entries.ts";
import { faults } from "./faults.ts";

const MANIFEST = "module.json";
const LONGEST_MANIFEST = 1 << 20;

/** The open archive of a module, which was found to be whole. */
export interface OpenedModule extends AsyncDisposable {
  readonly manifest: ModuleManifest;
  /** The digest of the shared object, hexadecimal; it identifies a build. */
  readonly sha256: string;
  /** Size of the shared object. */
  readonly bytes: number;
  /** The shared object, piece by piece. */
  library(): AsyncIterable<Buffer>;
}

/**
 * Opens the archive of a module, reads all of it once and writes nothing; the fault names the file or the field that is wrong.
 * However large the files in it are, little of them is in memory.
 */
export async function openModule(file: Blob): Promise<OpenedModule> {
  await using stack = new AsyncDisposableStack();
  const archive = stack.use(await openArchive(file));
  const manifest = await readManifest(archive);
  const name = libraryOf(archive.files, manifest);
  const sha256 = await digestOf(archive, name);
  for (const other of archive.files.keys()) if (other !== name && other !== MANIFEST) await drain(archive, other);
  if (manifest.sha256 !== undefined && manifest.sha256 !== sha256) {
    throw bad(`sha256 is ${manifest.sha256}, and the shared object has ${sha256}`);
  }
  const owned = stack.move();
  return {
    manifest,
    sha256,
    bytes: archive.files.get(name) ?? 0,
    library: () => archive.content(name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function readManifest(archive: Archive): Promise<ModuleManifest> {
  const size = archive.files.get(MANIFEST);
  if (size === undefined) throw bad("the archive has no module.json at its top");
  if (size > LONGEST_MANIFEST) throw bad(`module.json has ${size} bytes, at most ${LONGEST_MANIFEST} are read`);
  const parsed = moduleManifest.safeParse(parsedJson(await textOf(archive.content(MANIFEST))));
  if (parsed.success) return parsed.data;
  throw bad(z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, " "));
}

async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw bad(`it is no JSON: ${messageOf(error)}`);
  }
}

function libraryOf(files: ReadonlyMap<string, number>, { module_file: named }: ModuleManifest): string {
  const found = [...files.keys()].filter((name) => name.endsWith(".so"));
  const name = named ?? found[0];
  if (name === undefined || !files.has(name))
    throw bad(`the archive has no ${named ?? "file that ends in .so"} at its top`);
  if (named === undefined && found.length > 1) throw bad(`module_file is missing, and there are ${found.join(", ")}`);
  return name;
}

/** ELF: what a shared object begins with. */
const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

async function digestOf(archive: Archive, name: string): Promise<string> {
  const hash = createHash("sha256");
  let start = Buffer.alloc(0);
  for await (const chunk of archive.content(name)) {
    if (start.length < MAGIC.length) start = Buffer.concat([start, chunk.subarray(0, MAGIC.length)]);
    hash.update(chunk);
  }
  if (!start.subarray(0, MAGIC.length).equals(MAGIC)) throw bad(`${name} is no shared object`);
  return hash.digest("hex");
}

async function drain(archive: Archive, name: string): Promise<void> {
  const content = archive.content(name)[Symbol.asyncIterator]();
  while ((await content.next()).done !== true);
}

function bad(why: string): Fault {
  return new Fault(faults.badManifest, `module.json: ${why}`);
}
