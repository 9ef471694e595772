import { crc32, deflateRawSync } from "node:zlib";

/** A file of an archive; what lies about itself is given too. */
export interface ZipEntry {
  readonly name: string;
  readonly data: Buffer | string;
  /** Type and permissions as Unix has them, for instance 0o120777 for a link. */
  readonly mode?: number;
  /** Size that the archive claims. */
  readonly claimedSize?: number;
  readonly claimedCrc?: number;
}

/** A zip archive of `entries`, in which nothing is checked: also one that must not be opened. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const data = Buffer.from(entry.data);
    const packed = deflateRawSync(data);
    const about = {
      crc: entry.claimedCrc ?? crc32(data),
      packed: packed.length,
      size: entry.claimedSize ?? data.length,
    };
    const local = Buffer.concat([localHeader(about, name.length), name, packed]);
    locals.push(local);
    centrals.push(centralHeader(about, name.length, offset, entry.mode ?? 0o100644), name);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}

interface About {
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

function localHeader({ crc, packed, size }: About, nameLength: number): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(packed, 18);
  header.writeUInt32LE(size, 22);
  header.writeUInt16LE(nameLength, 26);
  return header;
}

function centralHeader({ crc, packed, size }: About, nameLength: number, offset: number, mode: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE((3 << 8) | 20, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(8, 10);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(packed, 20);
  header.writeUInt32LE(size, 24);
  header.writeUInt16LE(nameLength, 28);
  header.writeUInt32LE((mode << 16) >>> 0, 38);
  header.writeUInt32LE(offset, 42);
  return header;
}
