import { compareVersionText } from "#kit/base/version";
import type { BundledDatabase, PlatformSupport, Release, UserModules } from "./release.ts";

const DB_72: readonly BundledDatabase[] = [{ version: "7.2" }, { version: "6.2" }, { version: "6.0" }];
const DB_74: readonly BundledDatabase[] = [{ version: "7.4" }, { version: "7.2" }, { version: "6.2" }];
const DB_80: readonly BundledDatabase[] = builds("8.2.1", "8.0.2", "7.4.3", "7.2.7", "6.2.13");
const DB_84: readonly BundledDatabase[] = [...builds("8.4.0"), ...DB_80];
const DB_86: readonly BundledDatabase[] = [...builds("8.6.2"), ...DB_84];

/** Ends of care of the lines, by the beginning of their versions. */
const END_OF_LIFE: readonly (readonly [line: string, month: string])[] = [
  ["7.2.", "2026-02"],
  ["7.4.", "2026-11"],
  ["7.8.", "2027-05"],
  ["7.22.", "2027-10"],
  ["8.0.", "2028-07"],
];

/**
 * Every release that is known, oldest first. Data, not code: a new release is a new row. A release of a maintenance
 * line may be newer by date than one of a higher line; versions decide, dates never do.
 */
export const CATALOGUE: readonly Release[] = [
  row("7.2.4-12", "2023-12", "7.2.4-92", DB_72, "upload", {
    kubernetes: platforms("1.24-1.28"),
    openShift: platforms("4.11-4.14"),
    rebuiltNodeTags: ["7.2.4-105", "7.2.4-109", "7.2.4-117"],
  }),
  // its page repeats the platforms of 7.2.4-12
  row("7.2.4-15", "2025-09", "7.2.4-138", DB_72, "upload", {
    kubernetes: platforms("1.24-1.28"),
    openShift: platforms("4.11-4.14"),
    rebuiltNodeTags: ["7.2.4-144"],
  }),
  row("7.4.2-2", "2024-02", "7.4.2-54", builds("7.2.3", "6.2.13", "6.0.20"), "upload", {
    kubernetes: platforms("1.27-1.29", "1.26-1.26"),
    openShift: platforms("4.13-4.14", "4.11-4.12"),
    rebuiltNodeTags: ["7.4.2-104"],
  }),
  row("7.4.6-2", "2024-07", "7.4.6-22", builds("7.2.4", "6.2.13", "6.0.20"), "upload", {
    kubernetes: platforms("1.27-1.30", "1.26-1.26"),
    openShift: platforms("4.12-4.16"),
    rebuiltNodeTags: ["7.4.6-77", "7.4.6-102"],
  }),
  row("7.8.2-6", "2024-11", "7.8.2-34", builds("7.4.0", "7.2.4", "6.2.13"), "upload", {
    kubernetes: platforms("1.28-1.31"),
    openShift: platforms("4.12-4.16"),
    rebuiltNodeTags: ["7.8.2-60"],
  }),
  row("7.8.4-8", "2025-02", "7.8.4-66", DB_74, "upload", {
    kubernetes: platforms("1.28-1.31"),
    openShift: platforms("4.12-4.18"),
  }),
  row("7.8.4-9", "2025-03", "7.8.4-95", DB_74, "upload", {
    kubernetes: platforms("1.28-1.31"),
    openShift: platforms("4.12-4.18"),
  }),
  row("7.8.6-1", "2025-03", "7.8.6-13", DB_74, "upload", {
    kubernetes: platforms("1.30-1.32", "1.28-1.29"),
    openShift: platforms("4.15-4.18", "4.13-4.14"),
  }),
  row("7.8.6-19", "2026-08", "7.8.6-303", DB_74, "upload", {
    kubernetes: platforms("1.30-1.32", "1.28-1.29"),
    openShift: platforms("4.15-4.18", "4.13-4.14"),
  }),
  row("7.22.0-7", "2025-04", "7.22.0-28", DB_74, "upload", {
    kubernetes: platforms("1.30-1.32"),
    openShift: platforms("4.15-4.18"),
  }),
  row("7.22.0-15", "2025-07", "7.22.0-216", DB_74, "upload", {
    kubernetes: platforms("1.31-1.33", "1.30-1.30"),
    openShift: platforms("4.16-4.19", "4.15-4.15"),
  }),
  row("7.22.2-21", "2025-10", "7.22.2-14", DB_74, "upload", {
    kubernetes: platforms("1.31-1.33", "1.30-1.30"),
    openShift: platforms("4.18-4.20"),
  }),
  row("7.22.2-43", "2026-08", "7.22.2-179", DB_74, "upload", {
    kubernetes: platforms("1.31-1.33", "1.30-1.30"),
    openShift: platforms("4.18-4.20"),
  }),
  row("8.0.2-2", "2025-10", "8.0.2-17", DB_80, "unsupported", {
    kubernetes: platforms("1.32-1.34", "1.31-1.31"),
    openShift: platforms("4.17-4.19", "4.16-4.16"),
  }),
  row("8.0.6-8", "2025-12", "8.0.6-54", DB_80, "listed", {
    kubernetes: platforms("1.33-1.34", "1.31-1.32"),
    openShift: platforms("4.18-4.20", "4.17-4.17"),
  }),
  row("8.0.10-21", "2026-02", "8.0.10-64", DB_84, "listed", {
    kubernetes: platforms("1.33-1.35", "1.31-1.32"),
    openShift: platforms("4.18-4.20", "4.17-4.17"),
  }),
  // its page says nothing of OpenShift: what holds for 8.0.10 is assumed
  row("8.0.16-24", "2026-03", "8.0.16-29", DB_84, "listed", {
    kubernetes: platforms("1.33-1.35", "1.31-1.32"),
    openShift: platforms("4.18-4.20", "4.17-4.17"),
  }),
  row("8.0.18-11", "2026-04", "8.0.18-23.11", DB_86, "listed", {
    kubernetes: platforms("1.33-1.35", "1.31-1.32"),
    openShift: platforms("4.20-4.22", "4.18-4.19"),
  }),
  row("8.0.20-21", "2026-05", "8.0.20-19.21", DB_86, "listed", {
    kubernetes: platforms("1.33-1.35", "1.31-1.32"),
    openShift: platforms("4.20-4.22", "4.18-4.19"),
  }),
  row("8.0.20-26", "2026-08", "8.0.20-96.26", DB_86, "listed", {
    kubernetes: platforms("1.33-1.35", "1.31-1.32"),
    openShift: platforms("4.20-4.22", "4.18-4.19"),
  }),
  row("8.2.0-12", "2026-07", "8.2.0-25.12", DB_86, "listed", {
    kubernetes: platforms("1.33-1.36", "1.32-1.32"),
    openShift: platforms("4.20-4.22", "4.19-4.19"),
  }),
];

/** Steps between two exact builds that are known to fail; both are operator versions. */
export const FORBIDDEN_STEPS: readonly { readonly from: string; readonly to: string }[] = [
  { from: "7.22.2-43", to: "8.0.20-26" },
];

type Varying = Pick<Release, "kubernetes" | "openShift"> & Partial<Pick<Release, "rebuiltNodeTags">>;

function row(
  operator: string,
  date: string,
  nodeTag: string,
  databases: readonly BundledDatabase[],
  userModules: UserModules,
  varying: Varying,
): Release {
  const since = (version: string): boolean => (compareVersionText(operator, version) ?? 0) >= 0;
  const endOfLife = END_OF_LIFE.find(([line]) => operator.startsWith(line))?.[1];
  return {
    operator,
    date,
    nodeTag,
    rebuiltNodeTags: [],
    databases,
    defaultDatabase: databases[0]?.version ?? "",
    baseSystems: since("7.8.2-6") ? ["rhel9"] : ["ubuntu18", "rhel8"],
    ...(since("7.8.2-6") ? { minFrom: "7.4.2-2", minDatabase: "7.2" } : {}),
    userModules,
    storedVersion: since("8.0.2-2") ? "v1" : "v1alpha1",
    security: since("7.22.0-6") ? "unprivileged" : "privileged",
    engines: since("8.2.0-12") ? "in-own-container" : "in-node",
    ...(endOfLife === undefined ? {} : { endOfLife }),
    ...varying,
  };
}

function builds(...full: readonly string[]): readonly BundledDatabase[] {
  return full.map((build) => ({ version: build.split(".").slice(0, 2).join("."), full: build }));
}

function platforms(supported: string, deprecated = ""): PlatformSupport {
  return { supported: minors(supported), deprecated: minors(deprecated) };
}

/** `4.13-4.15` is 4.13, 4.14, 4.15; nothing is nothing. */
function minors(range: string): readonly string[] {
  const [major = "", first = "", last = ""] = /^(\d+)\.(\d+)-\d+\.(\d+)$/.exec(range)?.slice(1) ?? [];
  const count = range === "" ? 0 : Number(last) - Number(first) + 1;
  return Array.from({ length: count }, (_one, index) => `${major}.${Number(first) + index}`);
}
