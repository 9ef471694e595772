import { open, rename, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { syncFolder } from "../../../../controller-kit/src/files/replace-file.ts";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { faults } from "../faults.ts";

/** An append-only file of JSON records, one a line with its CRC-32; each append is on the disk when it resolves. */
export interface RecordFile {
  /** Bytes in the file. */
  size(): number;
  /** Writes records, each as `lineOf` has it, and waits for the disk. */
  append(lines: readonly string[]): Promise<void>;
  /** Replaces the whole file in one step: after a crash there is either the old content or the new one. */
  replace(records: Iterable<unknown>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the file at `path`, made when missing, and hands each record to `replay`. A record that was cut off by a crash
 * at the end of the file is removed; a wrong record before the end is APISERVER_STORE_CORRUPT.
 */
export async function openRecordFile(path: string, replay: (record: unknown) => void): Promise<RecordFile> {
  let handle = await open(path, "a+", 0o600);
  let size = 0;
  try {
    size = replayAll(await handle.readFile(), path, replay);
    await truncate(path, size);
  } catch (error) {
    await handle.close();
    throw error;
  }

  return {
    size: () => size,
    append: async (lines) => {
      const bytes = Buffer.from(lines.join(""));
      await handle.appendFile(bytes);
      await handle.datasync();
      size += bytes.length;
    },
    replace: async (records) => {
      const next = await open(`${path}.next`, "w", 0o600);
      const length = await writeAll(next, records);
      await next.sync();
      await next.close();
      await rename(`${path}.next`, path);
      await syncFolder(dirname(path));
      await handle.close();
      handle = await open(path, "a", 0o600);
      size = length;
    },
    close: () => handle.close(),
  };
}

function replayAll(content: Buffer, path: string, replay: (record: unknown) => void): number {
  let start = 0;
  while (start < content.length) {
    const end = content.indexOf(0x0a, start);
    const record = end < 0 ? undefined : parseLine(content.subarray(start, end).toString());
    if (record === undefined) {
      if (end >= 0 && end < content.length - 1) throw corrupt(path, start);
      return start;
    }
    replay(record.value);
    start = end + 1;
  }
  return start;
}

function parseLine(line: string): { value: unknown } | undefined {
  const text = line.slice(9);
  if (line.slice(0, 8) !== checksum(text)) return undefined;
  return { value: JSON.parse(text) };
}

/** A record as a line of the file. */
export function lineOf(record: unknown): string {
  const text = JSON.stringify(record);
  return `${checksum(text)} ${text}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, records: Iterable<unknown>): Promise<number> {
  let length = 0;
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(lines.join(""));
    await file.appendFile(bytes);
    length += bytes.length;
    lines = [];
  };
  for (const record of records) {
    lines.push(lineOf(record));
    if (lines.length === 256) await flush();
  }
  await flush();
  return length;
}

function corrupt(path: string, offset: number): Fault {
  return new Fault(faults.storeCorrupt, `${path} has a wrong record at byte ${offset}, before its end`, {
    path,
    offset,
  });
}
