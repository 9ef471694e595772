import type { RuleName } from "../../test/kit/specification/rules.ts";

/** An edit that removes a behaviour of the product, and the test that notices. */
export interface Edit {
  /** What the product does without the behaviour. */
  readonly removes: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** The file that has to fail then; of a rule of the contract at its claim. */
  readonly test: string;
  /** Pattern of the tests of the file that are run; every one when absent. */
  readonly named?: string;
}

/** A behaviour that the contract asks for, and the edit that removes it. */
export interface Mutation extends Edit {
  readonly rule: RuleName;
}

const BY_HAND = "test/scenario/by-hand.test.ts";
const FROZEN = "test/scenario/frozen/api.test.ts";

/** Samples of every section of the contract, in its order. docs/specification.md shows them. */
export const MUTATIONS: readonly Mutation[] = [
  {
    rule: "§1.2 a REDB edited during an upgrade waits, and is applied when the upgrade ends",
    removes: "the operator applies the edit at once",
    file: "src/programs/operator/database/evaluation.ts",
    from: "const seen = { polled, bdb, connection };\n  if (suspension !== undefined || unready !== undefined) return { ...seen, suspension, unready };",
    to: "const seen = { polled, bdb, connection, suspension };\n  if (unready !== undefined) return { ...seen, unready };",
    test: BY_HAND,
  },
  {
    rule: "§2.2 digestHash may stand in each of the four image specs",
    removes: "the digest of the usage reporter is not looked at",
    file: "src/core/planner/prerequisites/pinned-images.ts",
    from: '(spec.usageMeter?.callHomeClient?.imageSpec?.digestHash ?? "") === "" ? [] : [USAGE]',
    to: "[] as string[]",
    test: "test/specification/digests.test.ts",
  },
  {
    rule: "§2.2 storeUpgradePolicy or a version setting `major` keeps databases from minor versions",
    removes: "the policy of the cluster is not looked at",
    file: "src/core/planner/admission/upgrade-policy.ts",
    from: '(["cluster", "database"] as const).filter',
    to: '(["database"] as const).filter',
    test: "test/admission/by-hand.test.ts",
    named: "policy major",
  },
  {
    rule: "§3 configuration error during an upgrade → InvalidUpgrade",
    removes: "an error in mid-roll leaves STATE as it is",
    file: "src/core/planner/cluster/plan.ts",
    from: "const upgradeBlocked = judged.isUpgradeBlocked(change);",
    to: "const upgradeBlocked = !isUnfinished(view) && judged.isUpgradeBlocked(change);",
    test: "test/scenario/walk.test.ts",
  },
  {
    rule: "§3 digestHash removed → the upgrade proceeds",
    removes: "a digest that was removed still counts",
    file: "src/core/planner/prerequisites/pinned-images.ts",
    from: '(spec[place]?.digestHash ?? "") !== ""',
    to: "spec[place] !== undefined",
    test: "test/specification/digests.test.ts",
  },
  {
    rule: "§4.1 the tag of the latest release is read from tag_name",
    removes: "storectl fetches the bundle of a tag of its own",
    file: "src/programs/cli/bundle/published.ts",
    from: "return latestRelease.parse(JSON.parse(bytes.toString())).tag_name;",
    to: 'latestRelease.parse(JSON.parse(bytes.toString()));\n    return "latest";',
    test: "src/programs/cli/bundle/bundle.test.ts",
  },
  {
    rule: "§4.2 POST /v2/modules takes one archive in the form field module",
    removes: "an archive in any form field is taken",
    file: "src/programs/agent/api/modules/archives.ts",
    from: "const isWanted = name === FIELD && files.length === 0;",
    to: "const isWanted = files.length === 0;",
    test: BY_HAND,
  },
  {
    rule: "§4.3.3 the bundle is applied; images of a private registry are taken from where the spec points",
    removes: "the pull secret does not reach the pods of nodes and rigger",
    file: "src/programs/operator/objects/placement.ts",
    from: "    ...(spec.pullSecrets && { imagePullSecrets: spec.pullSecrets }),\n",
    to: "",
    test: BY_HAND,
  },
  {
    rule: "§5 the management API takes HTTP Basic over HTTPS, and nothing without",
    removes: "a wrong password of the admin is taken",
    file: "src/programs/agent/api/http/auth.ts",
    from: "isSame(given, `${username}:${password}`)",
    to: "given.startsWith(`${username}:`)",
    test: BY_HAND,
  },
  {
    rule: "§6.1 digestHash + auto → warning event on the REC, seen with describe",
    removes: "no finding of a cluster becomes an event",
    file: "src/core/planner/cluster/announcements.ts",
    from: '    ...began.map((finding) => ({ type: "Warning" as const, ...conditionWords(finding) })),\n',
    to: "",
    test: "test/specification/digests.test.ts",
  },
  {
    rule: "§7 configuration error → InvalidUpgrade, explained by describe and the log",
    removes: "the log names no finding that begins",
    file: "src/programs/operator/objects/finding-log.ts",
    from: 'for (const finding of began) log.warn("a finding began", fieldsOf(finding, object, ref.namespace));',
    to: "",
    test: FROZEN,
  },
  {
    rule: "§7 policy major → no minor version until the policy changes",
    removes: "the policy major holds for ever",
    file: "src/core/planner/admission/upgrade-policy.ts",
    from: 'filter((one) => policies[one] === "major")',
    to: "filter((one) => policies[one] !== undefined)",
    test: "test/admission/by-hand.test.ts",
    named: "policy major",
  },
  {
    rule: "§8 SHARDS LIMIT shows the licence's limit",
    removes: "SHARDS LIMIT is that of the trial",
    file: "src/programs/operator/cluster/status.ts",
    from: "shardsLimit: license.shards_limit,",
    to: "shardsLimit: 4,",
    test: FROZEN,
  },
  {
    rule: "§9 the Kubernetes distribution is on the list of the target",
    removes: "no version of Kubernetes is refused",
    file: "src/core/planner/prerequisites/kubernetes.ts",
    from: 'asked.filter(({ support }) => support === "unsupported")',
    to: "asked.filter(() => false)",
    test: "test/specification/versions.test.ts",
  },
];
