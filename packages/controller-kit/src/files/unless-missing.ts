import { systemCode } from "../base/file-trouble.ts";

/** What is read of a file or folder; undefined when there is none. Every other error passes. */
export async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (MISSING.has(systemCode(error))) return undefined;
    throw error;
  }
}

const MISSING: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);
