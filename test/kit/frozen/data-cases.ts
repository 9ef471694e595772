import type { ModuleRepository } from "../modules/module-repository.ts";
import { tallyArchive } from "../modules/module-archive.ts";
import { databaseIsAt, dropDatabase, makeDatabase, takeDatabase, uidOf } from "./databases.ts";
import type { FrozenCase } from "./frozen-case.ts";
import { letLicenceExpire, licence } from "./licence.ts";
import type { Lane } from "./lane.ts";
import { listing, upload } from "./modules.ts";
import { recoverWith, runRemedy, typeProposal } from "./remedy.ts";

const licenceFile = (lane: Lane) => ({ files: { "license.txt": licence(lane) } });
const buildFor72 = () => tallyArchive({ version: "1.1.0", compatible: "7.2" });
const OLD = { name: "old", memory_size: 100_000_000, redis_version: "6.2" } as const;

const LICENCE = {
  before: letLicenceExpire,
  state: "InvalidUpgrade",
  reason: "LicenseInvalid",
  evidence: /expired on/,
  remedy: /storectl recover rec --license license\.txt; or without storectl: kubectl patch rec rec .*license\.txt/,
  recoveries: {
    "the API": typeProposal("LicenseInvalid", "--license license.txt", licenceFile),
    "the CR": runRemedy("LicenseInvalid", (lane) => ({ ...licenceFile(lane), naming: "kubectl patch" })),
    storectl: runRemedy("LicenseInvalid", (lane) => ({ ...licenceFile(lane), naming: "storectl recover" })),
  },
} satisfies FrozenCase;

/** Cases whose cause lies in what the cluster holds: modules, databases, licence. */
export function dataCases(modules: ModuleRepository) {
  return {
    unsupportedModule: {
      before: async (lane) => {
        await upload(lane, await tallyArchive({ compatible: "7.2", systems: ["rhel8"] }));
        await upload(lane, await tallyArchive({ version: "2.0.0", compatible: "8.0", systems: ["rhel9"] }));
        await makeDatabase(lane, "counts", { storeVersion: "7.2", modulesList: [{ name: "tally" }] });
      },
      state: "InvalidUpgrade",
      reason: "UnsupportedModule",
      after: (lane) => dropDatabase(lane, "counts"), // automatic upgrade waits while a module of users is in use
      evidence:
        /no build of tally for databases of 7\.2 on rhel9 \(installed: for 7\.2 on rhel8\/\w+; for 8\.0 on rhel9\/\w+\), used by "counts"/,
      remedy: /curl -F module=@tally\.zip .*\/v2\/modules/,
      recoveries: {
        "the API": runRemedy("UnsupportedModule", async () => ({
          naming: "curl",
          files: { "tally.zip": await buildFor72() },
        })),
        "the CR": runRemedy("UnsupportedModule", () => ({ naming: "kubectl edit", editing: listing(modules) })),
        storectl: async (lane) => {
          await recoverWith(lane, "UnsupportedModule", "--module", await lane.file("tally.zip", await buildFor72()));
        },
      },
    },
    oldDatabase: {
      before: async (lane) => {
        const { uid } = await (await lane.management()).call("createBdb", { body: OLD });
        await databaseIsAt(lane, uid, "6.2");
      },
      state: "InvalidUpgrade",
      reason: "IncompatibleDatabaseVersion",
      evidence: /needs databases of version 7\.2 or later; "old" is 6\.2/,
      remedy: /curl -X POST .* -d '\{"store_version":"7\.2"\}' .*\/v1\/bdbs\/\d+\/upgrade$/,
      recoveries: {
        "the API": async (lane) => {
          await runRemedy("IncompatibleDatabaseVersion")(lane);
          await databaseIsAt(lane, await uidOf(lane, "old"), "7.2");
        },
        // management of databases is suspended (§1 rule 2): the older operator is the one that turns objects into calls
        "the CR": async (lane) => {
          await lane.operator(lane.from());
          await takeDatabase(lane, "old", { storeVersion: "7.2" });
          await lane.operator(lane.to());
        },
        storectl: (lane) => recoverWith(lane, "IncompatibleDatabaseVersion"),
      },
    },
    licence: LICENCE,
  } satisfies Record<string, FrozenCase>;
}
