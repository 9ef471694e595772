import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { privateApt } from "../install/private-apt.mjs";
import type { Distribution } from "../install/private-apt.mjs";
import { USER } from "./layout.ts";
import type { LayerRecipe } from "./layer.ts";
import { versionsNow } from "./mirror.ts";
import { packageText } from "./package-list.ts";

/** What Node needs, and a shell with the plainest tools for `kubectl exec`; nothing that could be attacked over the network. */
const PACKAGES: readonly string[] = [
  "base-files",
  "netbase",
  "libc6",
  "libgcc-s1",
  "libstdc++6",
  "dash",
  "coreutils",
  "libacl1",
  "libattr1",
  "libgmp10",
  "libpcre2-8-0",
  "libselinux1",
];

const run = promisify(execFile);

/**
 * The operating system below everything: packages of the distribution, unpacked and not configured. No script of a package
 * runs, so the result depends on the packages alone, needs no root, and takes seconds. It is another one once the mirror has
 * another version of a package.
 */
export async function baseLayer(distribution: Distribution): Promise<LayerRecipe> {
  const suite = distribution.id === "debian" ? "bookworm" : distribution.codename;
  const files = accounts();
  const versions = await packagesNow(distribution, suite);
  const packages = [...versions].map((one) => one.join("="));
  return {
    name: "base",
    title: packageText({ distribution: distribution.id, suites: [suite], versions }),
    inputs: ["5", suite, ...packages, ...Object.values(files)],
    async fill(root, work) {
      await mergeUsr(root);
      const debs = join(work, "debs");
      await mkdir(debs);
      const apt = await privateApt(work, distribution, [suite]);
      await apt.get(["download", ...packages], debs);
      for (const deb of (await readdir(debs)).toSorted()) await unpack(join(debs, deb), root);
      for (const path of ["usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/lintian", "var/cache"])
        await rm(join(root, path), { recursive: true, force: true });
      for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
      await symlink("dash", join(root, "usr/bin/sh")).catch(() => undefined); // newer packages bring it themselves
      await mkdir(join(root, "tmp"), { recursive: true });
      await chmod(join(root, "tmp"), 0o1777);
    },
  };
}

/** As `apt-get download` takes them. */
async function packagesNow(distribution: Distribution, suite: string): Promise<ReadonlyMap<string, string>> {
  const versions = await versionsNow(distribution, [suite], PACKAGES);
  const missing = PACKAGES.find((name) => !versions.has(name));
  if (missing !== undefined) throw new Error(`the mirror ${distribution.mirror} has no package ${missing} in ${suite}`);
  return new Map(PACKAGES.map((name) => [name, versions.get(name) ?? ""]));
}

function accounts(): Readonly<Record<string, string>> {
  const { uid, name } = USER;
  const home = "/nonexistent:/usr/sbin/nologin";
  return {
    "etc/passwd": `root:x:0:0:root:/root:/bin/sh\n${name}:x:${uid}:${uid}:${name}:${home}\n`,
    "etc/group": `root:x:0:\n${name}:x:${uid}:\n`,
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  };
}

/** Some packages still name /bin and /lib, which are links since Debian 12. */
async function mergeUsr(root: string): Promise<void> {
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    await mkdir(join(root, "usr", name), { recursive: true });
    await symlink(`usr/${name}`, join(root, name));
  }
}

/** With what dpkg knows about the package where scanners of images look for it. */
async function unpack(deb: string, root: string): Promise<void> {
  await run("sh", ["-ec", 'dpkg-deb --fsys-tarfile "$1" | tar -xf - --keep-directory-symlink -C "$2"', "-", deb, root]);
  const { stdout } = await run("dpkg-deb", ["--field", deb]);
  const name = /^Package: (\S+)$/m.exec(stdout)?.[1] ?? "";
  await mkdir(join(root, "var/lib/dpkg/status.d"), { recursive: true });
  await writeFile(join(root, "var/lib/dpkg/status.d", name), stdout);
}
