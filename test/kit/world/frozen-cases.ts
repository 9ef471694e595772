import { readFileSync } from "node:fs";
import type { ClusterState } from "../../../src/core/api/states.ts";
import { LICENSE_AUTHORITIES, type LicenseTerms } from "../../../src/core/api/license.ts";
import { clusterNames, OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { ConfigMaps, Roles, ValidatingWebhookConfigurations } from "../../../src/ports/kube/builtin.ts";
import { createLicenseAuthority, signLicense } from "../../../src/ports/management/license.ts";
import { Databases } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { OPERATOR_RULES, operatorNeeds } from "../../../src/core/releases/roles.ts";
import { createAuthority } from "../../../src/ports/pki/authority.ts";
import type { Lane } from "./lane.ts";
import { tallyArchive } from "../modules/module-archive.ts";
import type { ModuleRepository } from "../modules/module-repository.ts";
import { rulesWithout } from "../kubernetes/permission-scene.ts";
import { until } from "../time/until.ts";

/** An upgrade that cannot go on, and the documented ways out. */
export interface FrozenCase {
  /** While nothing moves yet: brings about what the upgrade will lack. */
  readonly before?: (lane: Lane) => Promise<void>;
  /** Right before the upgrade begins. */
  readonly spoil?: (lane: Lane) => Promise<void>;
  /** What is asked for besides the new tag. */
  readonly spec?: (lane: Lane) => CaseSpec;
  /** The upgrade is automatic: it begins with the new operator, and no tag is asked for. */
  readonly automatic?: true;
  readonly state: ClusterState;
  /** Name of the finding, the condition and the event. */
  readonly reason: string;
  readonly evidence: RegExp;
  readonly remedy: RegExp;
  /** Resolves when the cause is gone and was acknowledged. */
  readonly recoveries: Readonly<Record<string, (lane: Lane) => Promise<void>>>;
  /** Nodes that are replaced before it is noticed. */
  readonly touched?: number;
  readonly after?: (lane: Lane) => Promise<void>;
}

interface CaseSpec {
  readonly storeEnterpriseImageSpec?: object;
  readonly [field: string]: unknown;
}

export const SECRET = "module-login";
const licences = createLicenseAuthority();

/** The cases of a frozen cluster upgrade; those with modules find them in `modules`. */
export function frozenCases(modules: ModuleRepository) {
  const listed = (name: string, file: string) => ({
    userDefinedModules: [{ name, source: { https: { url: modules.url(file) } }, credentialsSecret: SECRET }],
  });
  const upload = async (lane: Lane, archive: Buffer<ArrayBuffer>): Promise<void> => {
    await (await lane.management()).call("uploadModule", { body: { module: archive } });
  };
  return {
    unsupportedModule: {
      before: async (lane) => {
        await upload(lane, await tallyArchive({ compatible: "7.2", systems: ["rhel8"] }));
        await makeDatabase(lane, "counts", { storeVersion: "7.2", modulesList: [{ name: "tally" }] });
      },
      state: "InvalidUpgrade",
      reason: "UnsupportedModule",
      evidence: /no build for rhel9 of tally \(rhel8\/\w+\), used by "counts"/,
      remedy: /curl -F module=@tally\.zip .*\/v2\/modules/,
      recoveries: {
        "the API": async (lane) => upload(lane, await tallyArchive({ version: "1.1.0", compatible: "7.2" })),
        "the CR": (lane) => lane.patch(listed("Tally", "tally.zip")),
        storectl: async (lane) => {
          const archive = await tallyArchive({ version: "1.1.0", compatible: "7.2" });
          await recoverWith(lane, "UnsupportedModule", "--module", await lane.file("tally.zip", archive));
        },
      },
    },
    oldDatabase: {
      before: async (lane) => {
        const body = { name: "old", memory_size: 100_000_000, redis_version: "6.2" } as const;
        const { uid } = await (await lane.management()).call("createBdb", { body });
        await databaseIsAt(lane, uid, "6.2");
      },
      state: "InvalidUpgrade",
      reason: "IncompatibleDatabaseVersion",
      evidence: /needs databases of version 7\.2 or later; "old" is 6\.2/,
      remedy: /POST \/v1\/bdbs\/<uid>\/upgrade \{"store_version":"7\.2"\}/,
      recoveries: {
        "the API": (lane) => upgradeDatabase(lane, "old", "7.2"),
        // management of databases is suspended (§1 rule 2): the older operator is the one that turns objects into calls
        "the CR": async (lane) => {
          await lane.operator(lane.from());
          await makeDatabase(lane, "old", { storeVersion: "7.2" });
          await lane.operator(lane.to());
        },
        storectl: (lane) => recoverWith(lane, "IncompatibleDatabaseVersion"),
      },
    },
    licence: {
      before: async (lane) => {
        const metadata = { name: LICENSE_AUTHORITIES, namespace: lane.namespace };
        await lane.kube.create(ConfigMaps, { metadata, data: { "public.pem": licences.publicKey } });
        const api = await lane.management();
        const install = () => api.call("installLicense", { body: { license: licence(lane, 1_500) } });
        await until("the authority is known", () => install().then(Boolean, () => false), { everyMs: 50 });
        const isOver = async () => (await api.call("license")).state === "Expired";
        await until("the licence is over", isOver, { everyMs: 50 });
      },
      state: "InvalidUpgrade",
      reason: "LicenseInvalid",
      evidence: /expired on/,
      remedy: /PUT \/v1\/license/,
      recoveries: {
        "the API": async (lane) => {
          await (await lane.management()).call("installLicense", { body: { license: licence(lane) } });
        },
        "the CR": (lane) => lane.patch({ license: licence(lane) }),
        storectl: async (lane) =>
          recoverWith(lane, "LicenseInvalid", "--license", await lane.file("licence", licence(lane))),
      },
    },
    configuration: {
      spec: () => ({ autoUpgradeStoreEnterprise: false, upgradeSpec: { autoUpgradeStoreEnterprise: true } }),
      state: "InvalidUpgrade",
      reason: "AutoUpgradeContradiction",
      evidence: /are both set and differ/,
      remedy: /kubectl patch rec rec /,
      recoveries: { "the CR": runRemedy("AutoUpgradeContradiction") },
    },
    digest: {
      automatic: true,
      spec: () => ({ usageMeter: { callHomeClient: { imageSpec: { digestHash: `sha256:${"0".repeat(64)}` } } } }),
      state: "InvalidUpgrade",
      reason: "AutoUpgradeDigestConflict",
      evidence: /usageMeter\.callHomeClient\.imageSpec/,
      remedy: /remove every digestHash, or set spec\.autoUpgradeStoreEnterprise to false/,
      recoveries: {
        "the CR, by removing it": (lane) => lane.patch({ usageMeter: null }),
        "the CR, by hand": (lane) => lane.patch({ autoUpgradeStoreEnterprise: false, ...tagOf(lane) }),
      },
      after: (lane) => lane.patch({ autoUpgradeStoreEnterprise: false, usageMeter: null }),
    },
    automaticWithModules: {
      automatic: true,
      spec: () => listed("Tally", "tally.zip"),
      state: "InvalidUpgrade",
      reason: "AutoUpgradeUserModules",
      evidence: /user-defined modules are listed: Tally/,
      remedy: /set spec\.autoUpgradeStoreEnterprise to false/,
      recoveries: {
        "the CR": (lane) => lane.patch({ autoUpgradeStoreEnterprise: false, ...tagOf(lane) }),
      },
    },
    moduleName: {
      spec: () => listed("counter", "tally.zip"),
      state: "InvalidUpgrade",
      reason: "UserModuleInvalid",
      evidence: /listed as "counter".*module_name "tally".*display_name "Tally"/,
      remedy: /kubectl edit rec rec .*userDefinedModules/,
      recoveries: { "the CR": (lane) => lane.patch(listed("Tally", "tally.zip")) },
    },
    staleWebhook: {
      automatic: true,
      spoil: async (lane) => {
        await letLookAtWebhooks(lane);
        await installWebhook(lane, createAuthority({ commonName: "old", now: new Date(), days: 1 }).certificate);
      },
      state: "InvalidUpgrade",
      reason: "WebhookStale",
      evidence: /caBundle does not hold `cert` of secret admission-tls/,
      remedy: /kubectl patch ValidatingWebhookConfiguration store-enterprise-admission/,
      recoveries: { "the command of the remedy": runRemedy("WebhookStale") },
      after: async (lane) => {
        await lane.kube.delete(ValidatingWebhookConfigurations, { name: "store-enterprise-admission" });
        await lane.patch({ autoUpgradeStoreEnterprise: false });
      },
    },
    permissions: {
      spoil: async (lane) => {
        const need = operatorNeeds().find(({ resource, verb }) => resource === "statefulsets" && verb === "patch");
        if (need === undefined) throw new Error("the operator does not patch StatefulSets any more");
        const rules = rulesWithout(OPERATOR_RULES, need);
        const body = { rules: rules.map((rule) => ({ ...rule })) };
        await lane.kube.patch<object>(
          Roles,
          { name: OPERATOR_NAME, namespace: lane.namespace },
          { type: "merge", body },
        );
      },
      state: "InvalidUpgrade",
      reason: "PermissionsMissing",
      evidence: /may not patch statefulsets\.apps in namespace/,
      remedy: /kubectl patch role /,
      recoveries: { "the command of the remedy": runRemedy("PermissionsMissing") },
    },
    unknownTag: {
      spec: () => ({ storeEnterpriseImageSpec: { versionTag: "9.9.9-99" } }),
      state: "InvalidUpgrade",
      reason: "UnknownImageTag",
      evidence: /"9\.9\.9-99", which is in no release/,
      remedy: /kubectl patch rec rec .*versionTag/,
      recoveries: { "the CR": runRemedy("UnknownImageTag") },
    },
    noImage: {
      spec: () => ({ storeEnterpriseImageSpec: { repository: "nowhere/nothing" } }),
      state: "Upgrade",
      reason: "PodNotRunning",
      evidence: /pod rec-2 does not run: .*ImagePull/,
      remedy: /a corrected image spec of rec is taken up at once/,
      recoveries: { "the CR": (lane) => lane.patch({ storeEnterpriseImageSpec: { repository: null } }) },
      touched: 1,
    },
    unschedulable: {
      spec: (lane) => ({ nodeSelector: { [`disk-of-${lane.namespace}`]: "fast" } }),
      state: "Upgrade",
      reason: "PodNotRunning",
      evidence: /pod rec-2 does not run: Unschedulable: 0\/1 nodes are available/,
      remedy: /kubectl describe pod rec-2/,
      recoveries: {
        "the CR": (lane) => lane.patch({ nodeSelector: null }),
        "a label on a worker": async (lane) => {
          await lane.sh(`kubectl label node local disk-of-${lane.namespace}=fast`);
        },
      },
      touched: 1,
    },
    download: {
      spec: (lane) => listed("Tally", `${lane.namespace}.zip`),
      state: "InvalidUpgrade",
      reason: "UserModuleInvalid",
      evidence: /the server answers 404/,
      remedy: /the upgrade goes on by itself once the module can be installed/,
      recoveries: {
        "the API": async (lane) => upload(lane, await tallyArchive({ version: "1.3.0", compatible: "7.2" })),
        "the CR": (lane) => lane.patch(listed("Tally", "tally.zip")),
        "the module server": async (lane) => {
          modules.put(`${lane.namespace}.zip`, await tallyArchive({ version: "1.1.0", compatible: "7.2" }));
        },
      },
    },
  } satisfies Record<string, FrozenCase>;
}

/** Begins an upgrade that lacks what each of these cases lacks. */
export async function beginFrozen(lane: Lane, cases: readonly FrozenCase[]): Promise<void> {
  // what is cleared last is prepared first: without a licence, for instance, no database can be made
  for (const { before } of cases.toReversed()) await before?.(lane);
  const isAutomatic = cases.some(({ automatic }) => automatic === true);
  const specs = cases.map(({ spec }) => spec?.(lane) ?? {});
  const images = specs.map(({ storeEnterpriseImageSpec }) => storeEnterpriseImageSpec ?? {});
  const spec = Object.assign({ ...PLAIN, autoUpgradeStoreEnterprise: isAutomatic }, ...specs);
  const spoil = async (): Promise<void> => {
    for (const one of cases) await one.spoil?.(lane);
  };
  if (isAutomatic) {
    // a webhook that is stale refuses edits: what is wrong is written before, and noticed at once
    await lane.patch(spec);
    await spoil();
    return lane.nextOperator();
  }
  await lane.nextOperator();
  await spoil();
  const tag = tagOf(lane).storeEnterpriseImageSpec;
  await lane.patch({ ...spec, storeEnterpriseImageSpec: Object.assign({}, tag, ...images) });
}

/** What earlier cases may have left in the spec. */
const PLAIN = { userDefinedModules: null, nodeSelector: null };

function tagOf(lane: Lane): { readonly storeEnterpriseImageSpec: { readonly versionTag: string } } {
  return { storeEnterpriseImageSpec: { versionTag: lane.to().nodeTag } };
}

/** Agrees to everything that storectl proposes; the cause of this name is gone when it ends. */
async function recoverWith(lane: Lane, id: string, ...supplies: readonly string[]): Promise<void> {
  const said = await lane.storectl("recover", "--yes", ...supplies);
  if (!new RegExp(`rec/rec: ${id}\n(   .*\n)+   cleared\n`).test(said))
    throw new Error(`${id} is not cleared:\n${said}`);
}

/** Runs the command that the finding prints, as it is printed. */
function runRemedy(id: string): (lane: Lane) => Promise<void> {
  return async (lane) => {
    const { status } = await lane.cluster(id, ({ status: now }) => (now?.findings ?? []).some((one) => one.id === id));
    await lane.sh(status?.findings?.find((one) => one.id === id)?.remedy ?? "false");
  };
}

export async function makeDatabase(lane: Lane, name: string, spec: object): Promise<void> {
  const { namespace } = lane;
  await lane.kube.create(Databases, { metadata: { name, namespace }, spec: { memorySize: "100MB", ...spec } });
  await lane.database(
    name,
    `${name} is ready`,
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.conditions?.find(({ type }) => type === "Ready")?.status === "True",
  );
}

/** Upgrades a database through the management API alone, and waits until that is done. */
export async function upgradeDatabase(lane: Lane, name: string, target: string): Promise<void> {
  const api = await lane.management();
  const found = (await api.call("bdbs")).find((bdb) => bdb.name === name);
  if (found === undefined) throw new Error(`there is no database ${name}`);
  await api.call("upgradeBdb", { params: { uid: found.uid }, body: { store_version: target } });
  await databaseIsAt(lane, found.uid, target);
}

async function databaseIsAt(lane: Lane, uid: number, version: string): Promise<void> {
  const api = await lane.management();
  const isThere = async (): Promise<boolean> => {
    const { status, redis_version } = await api.call("bdb", { params: { uid } });
    return status === "active" && redis_version === version;
  };
  await until(`database ${uid} is at ${version}`, isThere, { withinMs: 60_000, everyMs: 50 });
}

function licence({ namespace }: Lane, lastsMs = 86_400_000): string {
  const now = Date.now();
  const terms: LicenseTerms = {
    cluster_name: clusterNames.dnsName("rec", namespace),
    owner: "",
    activation_date: new Date(now - 60_000).toISOString(),
    expiration_date: new Date(now + lastsMs).toISOString(),
    shards_limit: 8,
    features: [],
  };
  return signLicense(terms, licences.privateKey);
}

/** The webhook as §4.1 creates it, and a certificate in it that is not the secret's. */
async function installWebhook(lane: Lane, certificate: string): Promise<void> {
  const template = readFileSync("deploy/admission/webhook-template.yaml", "utf8");
  const text = template.replaceAll("OPERATOR_NAMESPACE", lane.namespace);
  const bundle = Buffer.from(certificate).toString("base64");
  await lane.sh(`kubectl create -f - <<'EOF'\n${text}\nEOF`);
  const webhook = `{"name":"storeenterprise.admission.storeenterprise","clientConfig":{"caBundle":"${bundle}"}}`;
  await lane.sh(
    `kubectl patch ValidatingWebhookConfiguration store-enterprise-admission -p '{"webhooks":[${webhook}]}'`,
  );
}

/** Where the operator may look at webhooks and not touch them, it says what is wrong and waits for somebody who may. */
async function letLookAtWebhooks({ sh, namespace }: Lane): Promise<void> {
  const resource = "validatingwebhookconfigurations.admissionregistration.k8s.io";
  await sh(`kubectl create clusterrole ${namespace}-webhooks --verb=list --resource=${resource}`);
  await sh(
    `kubectl create clusterrolebinding ${namespace}-webhooks --clusterrole=${namespace}-webhooks ` +
      `--serviceaccount=${namespace}:${OPERATOR_NAME}`,
  );
}
