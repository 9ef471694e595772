import { execFileSync } from "node:child_process";
import { mkdir, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A volume of its own whose machine can lose its power. */
export interface Volume extends AsyncDisposable {
  /** A folder on it. */
  readonly folder: string;
  /** The same folder as the machine finds it when it starts again after its power was lost now: without what only its memory held. */
  losePower(): Promise<string>;
}

/** Why no volume can be made here; false when one can. */
export function whyNoVolume(): string | false {
  try {
    execFileSync("losetup", ["--find"], { stdio: "pipe" });
    execFileSync("mkfs.ext4", ["-V"], { stdio: "pipe" });
    return false;
  } catch {
    return "needs root, loop devices and mkfs.ext4";
  }
}

/** Makes one with the file system that nodes have most often. */
export async function makeVolume(): Promise<Volume> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await mkdtempDisposable(join(tmpdir(), "volume-")));
  const image = join(path, "image");
  run("truncate", "--size=32M", image);
  run("mkfs.ext4", "-q", image);
  const folder = join(await mounted(image, stack), "data");
  await mkdir(folder);
  run("sync", "--file-system", folder);
  let losses = 0;
  const owned = stack.move();
  return {
    folder,
    losePower: async () => {
      const left = `${image}-${(losses += 1)}`;
      run("cp", "--sparse=always", image, left);
      return join(await mounted(left, owned), "data");
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function mounted(image: string, stack: AsyncDisposableStack): Promise<string> {
  const at = `${image}-mounted`;
  await mkdir(at);
  run("mount", "-o", "loop", image, at);
  stack.defer(() => void run("umount", at));
  return at;
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: "pipe" });
}
