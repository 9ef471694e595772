// Says whether images have to be built again: see USAGE.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf } from "#kit/base/fault";
import { historyOf } from "./images/history.ts";
import { versionsNow } from "./images/mirror.ts";
import { changedPackages, packageLists, UNKNOWN_PACKAGES } from "./images/package-list.ts";
import { digestNow, pinnedBases, registryOrigin } from "./images/registry.ts";
import { readDistribution } from "./install/private-apt.mjs";

const USAGE = `usage: npm run images:check -- <folder>        <folder>/store-enterprise.tar and the mirror of this machine
       npm run images:check -- --bases         images/Containerfile and the registries of its bases
  0: nothing has changed since. 1: build again; each line says what for. 2: it cannot be found out.
  STORE_REGISTRY=<URL> asks this registry instead of those that the bases name.
`;

try {
  const [what = "", ...more] = process.argv.slice(2);
  if (what === "" || more.length > 0) throw new Error("it needs a folder, or --bases");
  const changed =
    what === "--bases" ? await changedBases() : await changedSince(join(resolve(what), "store-enterprise.tar"));
  for (const line of changed) process.stdout.write(`${line}\n`);
  process.stdout.write(changed.length === 0 ? "nothing has changed since\n" : "build the images again\n");
  process.exitCode = changed.length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n${USAGE}`);
  process.exitCode = 2;
}

async function changedSince(archive: string): Promise<readonly string[]> {
  const distribution = readDistribution();
  if (distribution === undefined) throw new Error("the packages are those of Debian or Ubuntu: run it there");
  const history = await historyOf(archive);
  const lists = history.flatMap(packageLists);
  if (lists.length === 0) throw new Error(`${archive} does not say what it was made from`);
  const changed: string[] = [];
  for (const list of lists) {
    if (list.distribution !== distribution.id)
      throw new Error(`it was made on ${list.distribution}, and this is ${distribution.id}`);
    changed.push(...changedPackages(list, await versionsNow(distribution, list.suites, [...list.versions.keys()])));
  }
  const fromEngines = changed.length === 0 ? [] : ["engines are unpacked again after: rm -r .engines"];
  const unknown = history.some((line) => line.includes(UNKNOWN_PACKAGES));
  return [
    ...changed,
    ...fromEngines,
    ...(unknown ? ["an engine was unpacked by an earlier release, which kept no list: rm -r .engines"] : []),
  ];
}

async function changedBases(): Promise<readonly string[]> {
  const bases = pinnedBases(await readFile(join(import.meta.dirname, "../images/Containerfile"), "utf8"));
  const lines = await Promise.all(
    bases.map(async (base) => {
      const now = await digestNow(base, process.env["STORE_REGISTRY"] ?? registryOrigin(base.host));
      return now === base.digest
        ? []
        : [`${base.repository}:${base.tag} is ${now} now, images/Containerfile has ${base.digest}`];
    }),
  );
  return lines.flat();
}
