import { compareVersionText } from "../base/version.ts";
import type { BundledDatabase, Release, UserModules } from "./release.ts";

const DB_74: readonly BundledDatabase[] = [{ version: "7.4" }, { version: "7.2" }, { version: "6.2" }];
const DB_80: readonly BundledDatabase[] = builds("8.2.1", "8.0.2", "7.4.3", "7.2.7", "6.2.13");
const DB_84: readonly BundledDatabase[] = [...builds("8.4.0"), ...DB_80];
const DB_86: readonly BundledDatabase[] = [...builds("8.6.2"), ...DB_84];

/**
 * Every release that is known, oldest first. Data, not code: a new release is a new row. A release of a maintenance
 * line may be newer by date than one of a higher line; versions decide, dates never do.
 */
export const CATALOGUE: readonly Release[] = [
  row("7.4.2-2", "2024-02", "7.4.2-54", builds("7.2.3", "6.2.13", "6.0.20"), "1.27 1.28 1.29", "1.26", "upload", {
    rebuiltNodeTags: ["7.4.2-104"],
  }),
  row("7.4.6-2", "2024-07", "7.4.6-22", builds("7.2.4", "6.2.13", "6.0.20"), "1.27 1.28 1.29 1.30", "1.26", "upload", {
    rebuiltNodeTags: ["7.4.6-77", "7.4.6-102"],
  }),
  row("7.8.2-6", "2024-11", "7.8.2-34", builds("7.4.0", "7.2.4", "6.2.13"), "1.28 1.29 1.30 1.31", "", "upload", {
    rebuiltNodeTags: ["7.8.2-60"],
  }),
  row("7.8.4-8", "2025-02", "7.8.4-66", DB_74, "1.28 1.29 1.30 1.31", "", "upload"),
  row("7.8.4-9", "2025-03", "7.8.4-95", DB_74, "1.28 1.29 1.30 1.31", "", "upload"),
  row("7.8.6-1", "2025-03", "7.8.6-13", DB_74, "1.30 1.31 1.32", "1.28 1.29", "upload"),
  row("7.8.6-19", "2026-08", "7.8.6-303", DB_74, "1.30 1.31 1.32", "1.28 1.29", "upload"),
  row("7.22.0-7", "2025-04", "7.22.0-28", DB_74, "1.30 1.31 1.32", "", "upload"),
  row("7.22.0-15", "2025-07", "7.22.0-216", DB_74, "1.31 1.32 1.33", "1.30", "upload"),
  row("7.22.2-21", "2025-10", "7.22.2-14", DB_74, "1.31 1.32 1.33", "1.30", "upload"),
  row("8.0.2-2", "2025-10", "8.0.2-17", DB_80, "1.32 1.33 1.34", "1.31", "unsupported"),
  row("8.0.6-8", "2025-12", "8.0.6-54", DB_80, "1.33 1.34", "1.31 1.32", "listed"),
  row("8.0.10-21", "2026-02", "8.0.10-64", DB_84, "1.33 1.34 1.35", "1.31 1.32", "listed"),
  row("8.0.16-24", "2026-03", "8.0.16-29", DB_84, "1.33 1.34 1.35", "1.31 1.32", "listed"),
  row("8.0.18-11", "2026-04", "8.0.18-23.11", DB_86, "1.33 1.34 1.35", "1.31 1.32", "listed"),
  row("8.0.20-21", "2026-05", "8.0.20-19.21", DB_86, "1.33 1.34 1.35", "1.31 1.32", "listed"),
  row("8.2.0-12", "2026-07", "8.2.0-25.12", DB_86, "1.33 1.34 1.35 1.36", "1.32", "listed"),
];

/** Steps between two exact builds that are known to fail; both are operator versions. */
export const FORBIDDEN_STEPS: readonly { readonly from: string; readonly to: string }[] = [
  { from: "7.22.2-43", to: "8.0.20-26" },
];

function row(
  operator: string,
  date: string,
  nodeTag: string,
  databases: readonly BundledDatabase[],
  supported: string,
  deprecated: string,
  userModules: UserModules,
  more: Partial<Release> = {},
): Release {
  const newBase = (compareVersionText(operator, "7.8.2-6") ?? 0) >= 0;
  return {
    operator,
    date,
    nodeTag,
    rebuiltNodeTags: [],
    databases,
    defaultDatabase: databases[0]?.version ?? "",
    baseOs: newBase ? "rhel9" : "ubuntu18 or rhel8",
    ...(newBase ? { minFrom: "7.4.2-2", minDatabase: "7.2" } : {}),
    userModules,
    kubernetes: { supported: words(supported), deprecated: words(deprecated) },
    ...more,
  };
}

function builds(...full: readonly string[]): readonly BundledDatabase[] {
  return full.map((build) => ({ version: build.split(".").slice(0, 2).join("."), full: build }));
}

function words(text: string): readonly string[] {
  return text.split(" ").filter((word) => word !== "");
}
