// An apt beside the system's: packages out of the mirror that /etc/apt names, downloaded and unpacked elsewhere, nothing
// installed, nothing of the system changed. Node built-ins only, Node 20.
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const exec = promisify(execFile);
const KEYRINGS = {
  debian: "/usr/share/keyrings/debian-archive-keyring.gpg",
  ubuntu: "/usr/share/keyrings/ubuntu-archive-keyring.gpg",
};
const COMPONENTS = { debian: "main", ubuntu: "main universe" };

/** Where packages come from here: undefined unless this is a Debian or an Ubuntu with apt-get and dpkg. */
export function readDistribution() {
  if (process.platform !== "linux" || !fs.existsSync("/etc/os-release")) return undefined;
  if (!hasCommand("apt-get") || !hasCommand("dpkg")) return undefined;
  const release = Object.fromEntries(
    [...fs.readFileSync("/etc/os-release", "utf8").matchAll(/^(\w+)="?([^"\n]*)"?$/gm)].map((row) => [row[1], row[2]]),
  );
  const mirror = readMirror();
  if (mirror === undefined || !(release.ID in KEYRINGS)) return undefined;
  return {
    id: release.ID,
    codename: release.VERSION_CODENAME,
    mirror,
    components: COMPONENTS[release.ID],
    keyring: KEYRINGS[release.ID],
  };
}

/** An apt with its own lists and cache in `work`, and an empty idea of what is installed. */
export async function privateApt(work, distribution, suites) {
  for (const path of ["lists/partial", "cache/archives/partial"]) fs.mkdirSync(join(work, path), { recursive: true });
  fs.writeFileSync(join(work, "status"), "");
  const signed = fs.existsSync(distribution.keyring) ? `[signed-by=${distribution.keyring}] ` : "";
  fs.writeFileSync(
    join(work, "sources.list"),
    suites.map((suite) => `deb ${signed}${distribution.mirror} ${suite} ${distribution.components}\n`).join(""),
  );
  const settings = [
    `Dir::Etc::SourceList=${work}/sources.list`,
    "Dir::Etc::SourceParts=-",
    `Dir::State::Lists=${work}/lists`,
    `Dir::State::status=${work}/status`,
    `Dir::Cache=${work}/cache`,
    "APT::Sandbox::User=root",
    "APT::Update::Post-Invoke-Success::=true",
    "Acquire::Languages=none",
  ].flatMap((setting) => ["-o", setting]);
  const options = { maxBuffer: 64 << 20, timeout: 300_000 };
  const apt = {
    get: (args, cwd) => exec("apt-get", [...settings, "-qq", ...args], { ...options, cwd: cwd ?? work }),
    cache: (args) => exec("apt-cache", [...settings, ...args], options),
  };
  await apt.get(["update"]);
  return apt;
}

/** True when PATH, or another list of folders like it, has a file of that name. */
export function hasCommand(name, path = process.env.PATH ?? "") {
  return path.split(delimiter).some((folder) => fs.existsSync(join(folder, name)));
}

function readMirror() {
  const files = [
    "/etc/apt/sources.list",
    ...(fs.existsSync("/etc/apt/sources.list.d")
      ? fs.readdirSync("/etc/apt/sources.list.d").map((name) => join("/etc/apt/sources.list.d", name))
      : []),
  ];
  const text = files
    .filter((file) => fs.existsSync(file) && fs.statSync(file).isFile())
    .map((file) => fs.readFileSync(file, "utf8"))
    .join("\n");
  const found = /^\s*(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s*)?)(https?:\/\/\S+?\/(?:debian|ubuntu)\/?)(?:\s|$)/m.exec(text);
  return found?.[1];
}
