import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where each process of a node finds the page of its node. */
const PAGE = "/run/netns/page";
const BYTES = 16;

/** The date and the disk of one node, as its processes see them. */
export interface Shim {
  /** Prefix of a command that then finds the page of this node. */
  readonly enter: readonly string[];
  /** Sets the date off by so many minutes. */
  step(byMinutes: number): void;
  /** Each write to a file, and each fsync, takes so much longer. */
  slow(delayMs: number): void;
}

/** Compiles the library and preloads it into every program that starts in this mount namespace from now on. */
export function preloadShim(folder: string): void {
  const library = join(folder, "shim.so");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, join(import.meta.dirname, "shim.c"), "-ldl"]);
  const etc = join(folder, "etc");
  execFileSync("cp", ["-a", "/etc", etc]); // a copy of its own: the machine's is left alone
  writeFileSync(join(etc, "ld.so.preload"), `${library}\n`);
  execFileSync("mount", ["--bind", etc, "/etc"]);
  writeFileSync(PAGE, "");
}

/** A page for node `uid`; its date is right and its disk fast. */
export function shimOf(folder: string, uid: number): Shim {
  const path = join(folder, `page-${uid}`);
  const page = Buffer.alloc(BYTES);
  const write = (): void => {
    writeFileSync(path, page, { flag: "r+" }); // in place: processes have it mapped
  };
  writeFileSync(path, page);
  return {
    enter: ["sh", "-c", `mount --bind ${path} ${PAGE} && exec "$@"`, "sh"],
    step: (byMinutes) => {
      page.writeBigInt64LE(BigInt(byMinutes * 60_000_000), 0);
      write();
    },
    slow: (delayMs) => {
      page.writeBigInt64LE(BigInt(delayMs * 1_000), 8);
      write();
    },
  };
}
