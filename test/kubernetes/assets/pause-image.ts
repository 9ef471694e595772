import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** Name of the image whose container holds a pod's namespaces. */
export const PAUSE_IMAGE = "docker.io/local/pause:1";

/** Writes `pause.tar`, a docker archive of one layer with the program `pause` of `folder`. */
export async function writePauseImage(folder: string): Promise<void> {
  const work = mkdtempSync(join(folder, ".pause-"));
  try {
    mkdirSync(join(work, "root"));
    copyFileSync(join(folder, "pause"), join(work, "root/pause"));
    const layer = join(work, "layer.tar");
    await exec("tar", [
      "--sort=name",
      "--mtime=@0",
      "--owner=0",
      "--group=0",
      "-C",
      join(work, "root"),
      "-cf",
      layer,
      ".",
    ]);
    const config = JSON.stringify(configOf(sha256(readFileSync(layer))));
    const configName = `${sha256(config)}.json`;
    writeFileSync(join(work, configName), config);
    const manifest = [{ Config: configName, RepoTags: [PAUSE_IMAGE], Layers: ["layer.tar"] }];
    writeFileSync(join(work, "manifest.json"), JSON.stringify(manifest));
    await exec("tar", ["-C", work, "-cf", join(folder, "pause.tar"), "manifest.json", configName, "layer.tar"]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function configOf(layerHash: string): object {
  return {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    created: new Date(0).toISOString(),
    config: { Entrypoint: ["/pause"], User: "65535:65535", WorkingDir: "/" },
    rootfs: { type: "layers", diff_ids: [`sha256:${layerHash}`] },
  };
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
