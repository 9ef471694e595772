// Says which dependencies a checkout asks for and whether it has them. Node built-ins only, Node 20.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A hash of the packages that the lock file asks for; equal when `npm ci` would install the same. */
export function packagesHash(checkout) {
  const packages = packagesOf(checkout);
  // the first entry is the checkout itself, whose version changes with each release
  const { version, ...own } = packages[""];
  const wanted = JSON.stringify({ ...packages, "": own });
  return createHash("sha256").update(wanted).digest("hex");
}

/** Whether the lock file of `checkout` asks for nothing but packages that the one of `other` asks for too, at the same versions. */
export function asksForNoMore(checkout, other) {
  const [wanted, given] = [checkout, other].map(packagesOf);
  return Object.entries(wanted).every(
    ([path, each]) => path === "" || JSON.stringify(given[path]) === JSON.stringify(each),
  );
}

/** Whether all of them are installed: an installation that was interrupted has no stamp. */
export function isInstalled(checkout) {
  const stamp = stampOf(checkout);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === packagesHash(checkout);
}

/** To be called when all of them are installed. */
export function markInstalled(checkout) {
  writeFileSync(stampOf(checkout), packagesHash(checkout));
}

function packagesOf(checkout) {
  return JSON.parse(readFileSync(join(checkout, "package-lock.json"), "utf8")).packages;
}

function stampOf(checkout) {
  return join(checkout, "node_modules", ".installed-packages");
}
