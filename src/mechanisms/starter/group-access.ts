import { constants, mkdir, open, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Lets the group use a folder, and what this user has in it and below: what `fsGroup` does for a volume when a pod starts, for
 * files that came later and for volumes that do not take it. Links are not followed.
 */
export async function shareWithGroup(folder: string): Promise<void> {
  await share(folder);
  const entries = await unlessCode("ENOENT", readdir(folder, { recursive: true, withFileTypes: true }));
  const inside = (entries ?? []).filter((entry) => entry.isFile() || entry.isDirectory());
  for (const { parentPath, name } of inside) await share(join(parentPath, name));
}

/** Makes what an engine would make for itself alone, so that files in it can be removed by both. */
export async function makeShared(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await share(folder);
}

/** Uses an open file, because the other user may put a link in its place meanwhile. */
async function share(path: string): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // of the other user and not shared, a link, or gone
  const file = await unlessCode(
    "EACCES",
    unlessCode("ELOOP", unlessCode("ENOENT", open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))),
  );
  if (file === undefined) return;
  try {
    const found = await file.stat();
    const wanted = found.mode | (found.isDirectory() ? 0o2070 : 0o060);
    if (found.uid === process.getuid?.() && wanted !== found.mode) await file.chmod(wanted & 0o7777);
  } finally {
    await file.close();
  }
}

async function unlessCode<T>(code: string, act: Promise<T>): Promise<T | undefined> {
  try {
    return await act;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === code) return undefined;
    throw error;
  }
}
