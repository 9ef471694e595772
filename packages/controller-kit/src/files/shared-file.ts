import { constants, open, type FileHandle } from "node:fs/promises";

const { O_RDONLY, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Opens a file in a folder where another user, as an engine that was taken over, may have put anything in its place: a link is not
 * followed, and a pipe or a device is refused, with the error that `refusal` makes of the reason, and never waited for.
 */
export async function openSharedFile(
  path: string,
  access: "read" | "write" = "read",
  refusal: (why: string) => Error = (why) => new Error(why),
): Promise<FileHandle> {
  const file = await open(path, (access === "read" ? O_RDONLY : O_WRONLY) | O_NOFOLLOW | O_NONBLOCK);
  try {
    if ((await file.stat()).isFile()) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw refusal(`${path} is no file.`);
}

/** The text of a small file there; undefined when there is none. One that is longer than any that this node writes there is refused. */
export async function readSharedFile(path: string, mostBytes = MOST_BYTES): Promise<string | undefined> {
  await using file = await existingFile(path);
  if (file === undefined) return undefined;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes + 1), 0, mostBytes + 1, 0);
  if (bytesRead > mostBytes) throw new Error(`${path} is longer than ${mostBytes} bytes`);
  return buffer.toString("utf8", 0, bytesRead);
}

/** The open file, to read; undefined when there is none. */
export async function existingFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await openSharedFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw error;
  }
}

const MOST_BYTES = 65_536;
