/**
 * A release or node tag of the service: `X.Y.Z-B`, `X.Y.Z-B.OP` or `X.Y.Z-B.OP.minimal`; `build` and `operatorBuild`
 * are 0 when absent. Compared number by number: semver would put 7.22.0-6 before 7.22.0.
 */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly build: number;
  readonly operatorBuild: number;
}

const FORM = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?:-(\d{1,6})(?:\.(\d{1,6}))?(?:\.minimal)?)?$/;

/** The version that `text` spells, a leading `v` allowed; undefined when it spells none. */
export function parseVersion(text: string): Version | undefined {
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const [major = 0, minor = 0, patch = 0, build = 0, operatorBuild = 0] = found.slice(1).map((n) => Number(n ?? 0));
  return { major, minor, patch, build, operatorBuild };
}

/** Negative when `a` is older than `b`, 0 when equal, positive when newer. */
function compareVersions(a: Version, b: Version): number {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    a.patch - b.patch ||
    a.build - b.build ||
    a.operatorBuild - b.operatorBuild
  );
}

/** Compares two spellings; undefined when either is no version. */
export function compareVersionText(a: string, b: string): number | undefined {
  const left = parseVersion(a);
  const right = parseVersion(b);
  return left === undefined || right === undefined ? undefined : compareVersions(left, right);
}
