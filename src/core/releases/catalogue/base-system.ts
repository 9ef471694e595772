/**
 * The base system that an `os-release` file describes, as releases and module manifests name it: id and major version, for
 * instance `rhel9` or `debian12`. Undefined when it has no id; a system without versions is its id alone.
 */
export function baseSystemIn(osRelease: string): string | undefined {
  const id = valueOf(osRelease, "ID");
  const [major = ""] = valueOf(osRelease, "VERSION_ID").split(".");
  return id === "" ? undefined : `${id}${major}`;
}

/** Values may be in quotes of either kind. */
function valueOf(text: string, name: string): string {
  const found = new RegExp(`^${name}=(["']?)([\\w.-]*)\\1\\s*$`, "m").exec(text);
  return found?.[2] ?? "";
}
