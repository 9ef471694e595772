import assert from "node:assert/strict";
import { test } from "node:test";
import { nearby, references } from "../../../../test/kit/facts/references.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { databaseSpec } from "../../api/database-spec.ts";
import type { DatabaseSpec } from "../../api/database-spec.ts";
import { DATABASE_RULES } from "../admission/database.ts";
import { objections } from "../admission/objection.ts";
import type { CertificateView } from "./certificate.ts";
import { planDatabase } from "./plan.ts";
import type { DatabaseView } from "./plan.ts";

// What becomes of an edit of each field of a database that exists. A new field without an entry does not compile.

type Outcome =
  /** The act of the operator. */
  | { readonly act: "update" | "upgrade" }
  /** Refused in admission, and by the operator where no webhook is. */
  | { readonly refused: RegExp }
  /** The definition has no other value. */
  | { readonly schema: unknown };

interface Edit {
  /** Laid over the spec. */
  readonly to: object;
  readonly view?: Partial<DatabaseView>;
  readonly then: Outcome;
}

const two = references({ clusters: [nearby(), nearby({ name: "other" })] });
const withoutTls: CertificateView = { state: "none", why: "", warning: "", authority: "" };
const due: CertificateView = { ...withoutTls, state: "due" };
const SPEC = { storeEnterpriseCluster: { name: "rec" }, storeVersion: "7.4", modulesList: [{ name: "tally" }] };

const PLACE = { bucketName: "backups", awsSecretName: "keys" };

const EDITS: Readonly<Record<keyof DatabaseSpec, readonly Edit[]>> = {
  storeEnterpriseCluster: [
    {
      to: { storeEnterpriseCluster: { name: "other" } },
      view: { references: two },
      then: { refused: /does not move between clusters/ },
    },
  ],
  memorySize: [{ to: { memorySize: "200MB" }, then: { act: "update" } }],
  shardCount: [{ to: { shardCount: 2 }, then: { refused: /shard/ } }],
  shardSlots: [
    { to: { shardSlots: ["0-8191", "8192-16383"] }, then: { refused: /shard/ } },
    { to: { shardSlots: ["0-8191"] }, then: { refused: /no shard has slot 8192/ } },
  ],
  replication: [{ to: { replication: true }, then: { act: "update" } }],
  durability: [
    { to: { durability: "sync" }, then: { refused: /replication/ } },
    { to: { durability: "sync", replication: true }, then: { act: "update" } },
  ],
  withoutReplica: [{ to: { withoutReplica: "wait" }, then: { act: "update" } }],
  persistence: [{ to: { persistence: "aofAlways" }, then: { act: "update" } }],
  evictionPolicy: [{ to: { evictionPolicy: "noeviction" }, then: { act: "update" } }],
  engineParameters: [{ to: { engineParameters: { "slowlog-max-len": "9" } }, then: { act: "update" } }],
  maxClients: [{ to: { maxClients: 5 }, then: { act: "update" } }],
  ossCluster: [{ to: { ossCluster: true }, then: { act: "update" } }],
  tls: [
    { to: { tls: "enabled" }, view: { certificate: due }, then: { act: "update" } },
    { to: { tls: "mutual" }, then: { refused: /no authority of theirs is named/ } },
  ],
  certificateSecretName: [
    { to: { tls: "enabled", certificateSecretName: "own" }, view: { certificate: due }, then: { act: "update" } },
    { to: { certificateSecretName: "rec-node-tls" }, then: { refused: /used by StoreEnterpriseCluster rec/ } },
  ],
  clientAuthenticationCertificates: [
    {
      to: { tls: "mutual", clientAuthenticationCertificates: ["clients"] },
      view: { certificate: due },
      then: { act: "update" },
    },
    { to: { clientAuthenticationCertificates: ["rec-ca"] }, then: { refused: /used by StoreEnterpriseCluster rec/ } },
  ],
  storeUpgradePolicy: [{ to: { storeUpgradePolicy: "major" }, then: { act: "update" } }],
  shardsPlacement: [{ to: { shardsPlacement: "dense" }, then: { act: "update" } }],
  proxyPolicy: [{ to: { proxyPolicy: "single" }, then: { act: "update" } }],
  parallelShardsUpgrade: [{ to: { parallelShardsUpgrade: 2 }, then: { act: "update" } }],
  passwordOverlapSeconds: [{ to: { passwordOverlapSeconds: 5 }, then: { act: "update" } }],
  databaseSecretName: [{ to: { databaseSecretName: "login" }, view: { secret: "changed" }, then: { act: "update" } }],
  databasePort: [{ to: { databasePort: 12_345 }, then: { refused: /port/ } }],
  type: [{ to: { type: "memcached" }, then: { schema: "memcached" } }],
  storeVersion: [{ to: { storeVersion: "8.0" }, then: { act: "upgrade" } }],
  modulesList: [
    { to: { modulesList: [] }, then: { refused: /"tally" would be removed/ } },
    { to: { modulesList: [{ name: "tally" }, { name: "ft" }] }, then: { refused: /"ft" would be added/ } },
    { to: { modulesList: [{ name: "tally", config: "FAST 1" }] }, then: { refused: /"tally" would be given other/ } },
  ],
  // what it asks for is in Kubernetes: src/programs/operator/database/asked-schedule.test.ts
  backup: [{ to: { backup: { s3: PLACE, interval: 5_000 } }, then: { schema: "backup" } }],
  moduleList: [
    {
      to: { modulesList: undefined, moduleList: [{ name: "ft" }] },
      then: { refused: /"ft" would be added; "tally" would be removed/ },
    },
  ],
};

const view = (spec: DatabaseSpec, change: Partial<DatabaseView>): DatabaseView => ({
  name: "orders",
  spec,
  isEdited: true,
  wasRefused: false,
  references: references({ clusters: [nearby({ userModules: ["tally", "ft"] })] }),
  existing: {
    uid: 1,
    isSettled: true,
    underWay: "",
    upgradesTo: undefined,
    site: undefined,
    ...settingsWith(),
    port: 10_000,
    shards: 1,
    slots: ["0-16383"],
    namesSlots: false,
    storeVersion: "7.4",
    modules: [{ name: "tally", args: "" }, { name: "vectorset" }],
  },
  secret: "given",
  site: undefined,
  secretName: "redb-orders",
  certificate: withoutTls,
  home: "rec",
  ...change,
});

test("a database as its spec says is left alone", () => {
  const decision = planDatabase(view(databaseSpec.parse(SPEC), {}));
  assert.deepEqual([decision.step, decision.findings], [{ kind: "rest" }, []]);
});

for (const [field, edits] of Object.entries(EDITS)) {
  for (const { to, view: change = {}, then } of edits) {
    test(`an edit of ${field} to ${JSON.stringify(to)} is not ignored`, () => {
      const parsed = databaseSpec.safeParse({ ...SPEC, ...to });
      if ("schema" in then) {
        assert.equal(parsed.success, false);
        return;
      }
      const spec = databaseSpec.parse({ ...SPEC, ...to });
      const given = view(spec, change);
      const { step, findings } = planDatabase(given);
      if ("act" in then) {
        assert.deepEqual([step.kind === "act" && step.act.kind, findings], [then.act, []]);
        return;
      }
      assert.equal(step.kind, "wait");
      assert.match(findings.map(({ evidence }) => evidence).join("; "), then.refused);
      const before = databaseSpec.parse(SPEC);
      const existing = { port: 10_000, storeVersion: "7.4", shards: 1, cluster: "rec" } as const;
      const reviewed = { kind: "redb", name: "orders", at: "spec", spec, before, existing } as const;
      const said = objections(DATABASE_RULES, { ...reviewed, references: given.references });
      assert.match(said.map(({ finding }) => finding.evidence).join("; "), then.refused, "by the webhook");
    });
  }
}

test("numbers of modules have no effect, and the list may get its other name", () => {
  for (const to of [
    { modulesList: [{ name: "tally", version: "9" }] },
    { modulesList: undefined, moduleList: [{ name: "Tally" }] },
  ]) {
    const { step, findings } = planDatabase(view(databaseSpec.parse({ ...SPEC, ...to }), {}));
    assert.deepEqual([step.kind, findings], ["rest", []]);
  }
});

test("nodes of release 0.1.0 do not tell which modules a database asked for: those that are loaded count", () => {
  const known = view(databaseSpec.parse(SPEC), {});
  assert.ok(known.existing);
  const existing = { ...known.existing, modules: [{ name: "tally" }, { name: "vectorset" }] };
  assert.deepEqual(planDatabase({ ...known, existing }).findings, []);
});
