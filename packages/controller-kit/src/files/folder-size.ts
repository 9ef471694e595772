import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Bytes of the files in a folder and below it; what goes away meanwhile counts as nothing, and so does a missing folder. */
export async function bytesIn(folder: string): Promise<number> {
  const entries = await ignoringAbsence(readdir(folder, { recursive: true, withFileTypes: true }), []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(({ parentPath, name }) => sizeOf(join(parentPath, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function sizeOf(path: string): Promise<number> {
  return ignoringAbsence(
    stat(path).then(({ size }) => size),
    0,
  );
}

async function ignoringAbsence<T>(reading: Promise<T>, absent: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return absent;
    throw error;
  }
}
