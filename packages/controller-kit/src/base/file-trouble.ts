import { messageOf } from "./fault.ts";

/** What the system says of a file or folder, in words for a person: to stand behind "cannot be read: ". */
export function fileTrouble(error: unknown): string {
  return SAYS[systemCode(error)] ?? messageOf(error);
}

/** The code of the system in an error, for instance ENOENT; empty when it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

const SAYS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is no folder",
  EEXIST: "it is there already",
  EACCES: "you may not",
  EPERM: "you may not",
  EROFS: "its disk is read-only",
  ENOSPC: "its disk is full",
};
