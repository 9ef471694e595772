import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Fault } from "#kit/base/fault";
import { systemClock } from "#kit/reconcile/system-clock";
import { createAuthority } from "#kit/pki/authority";
import { createLicenseAuthority } from "../../ports/management/license.ts";
import { runStorectl } from "./storectl.ts";

const authority = createAuthority({ commonName: "away", now: new Date(), days: 1 }).certificate;
// no program listens at a port that only root may open
const away = {
  apiVersion: "v1",
  kind: "Config",
  clusters: [
    {
      name: "away",
      cluster: {
        server: "https://127.0.0.1:9",
        "certificate-authority-data": Buffer.from(authority).toString("base64"),
      },
    },
  ],
  users: [{ name: "me", user: { token: "t" } }],
  contexts: [{ name: "here", context: { cluster: "away", user: "me" } }],
  "current-context": "here",
};

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "typed-"));
  await writeFile(join(folder, "public.pem"), createLicenseAuthority().publicKey);
  await writeFile(join(folder, "empty"), "");
  await mkdir(join(folder, "keys"));
  await writeFile(join(folder, "keys", "private.pem"), "mine");
  await symlink(join(folder, "away-disk"), join(folder, "nowhere"));
  await writeFile(join(folder, "away"), JSON.stringify(away));
});
after(() => rm(folder, { recursive: true }));

const cases: readonly [line: string, code: string, says: RegExp][] = [
  ["nosuch", "CLI_USAGE", /^unknown command 'nosuch'; there are: storectl preflight, /],
  ["stat", "CLI_USAGE", /^unknown command 'stat' \(did you mean status\?\)/],
  ["status --nosuch", "CLI_USAGE", /^unknown option '--nosuch'$/],
  ["plan --to", "CLI_USAGE", /^option '--to <release>' argument missing$/],
  ["modules upload", "CLI_USAGE", /^missing required argument 'file'$/],
  ["role editor", "CLI_USAGE", /'editor' is invalid for argument 'role'\. Allowed choices are reader, login, /],
  ["why database orders", "CLI_USAGE", /^"database" is no kind, .*: storectl why redb orders; kinds are rec, redb$/],
  ["nodes x y", "CLI_USAGE", /^too many arguments for 'nodes'/],
  ["status", "KUBE_NO_CONFIG", /^no --kubeconfig is given, KUBECONFIG is not set, and there is no ~\/\.kube\/config$/],
  [
    "status --kubeconfig FOLDER/nosuch",
    "KUBE_BAD_CONFIG",
    /^the kubeconfig .*nosuch cannot be read: there is no such file/,
  ],
  ["status --kubeconfig FOLDER/empty", "KUBE_BAD_CONFIG", /empty/],
  ["status --kubeconfig FOLDER/away --context nosuch", "KUBE_BAD_CONFIG", /"nosuch".*here/],
  ["--kubeconfig FOLDER/away status", "KUBE_UNAVAILABLE", /127\.0\.0\.1:9/],
  ["modules upload FOLDER/nosuch.zip", "CLI_FILE", /nosuch\.zip cannot be read: there is no such file$/],
  ["modules upload FOLDER", "CLI_FILE", /cannot be read: it is a folder$/],
  ["modules upload FOLDER/empty", "MODULES_NOT_AN_ARCHIVE", /./],
  ["recover --license FOLDER/nosuch", "CLI_FILE", /nosuch cannot be read: there is no such file$/],
  ["recover --license FOLDER/empty", "MANAGEMENT_LICENSE_MALFORMED", /^the text is no licence: /],
  ["license show FOLDER", "CLI_FILE", /cannot be read: it is a folder$/],
  [
    "license issue --key FOLDER/public.pem --cluster a --shards 1",
    "MANAGEMENT_LICENSE_KEY",
    /: it is no private key in PEM$/,
  ],
  ["license authority --dir FOLDER/keys", "CLI_OUTPUT", /private\.pem cannot be written: it is there already$/],
  ["license authority --dir FOLDER/empty", "CLI_OUTPUT", /^the folder .*empty cannot be made: it is there already$/],
  ["license authority --dir /proc/x", "CLI_OUTPUT", /^the folder \/proc\/x cannot be made: there can be no folder$/],
  ["license authority --dir /proc/x/y", "CLI_OUTPUT", /^the folder \/proc\/x\/y cannot be made: /],
  ["license authority --dir FOLDER/nowhere/keys", "CLI_OUTPUT", /^the folder .*keys cannot be made: /],
  [
    "license authority --dir FOLDER/empty/keys",
    "CLI_OUTPUT",
    /^the folder .* cannot be made: a part of its path is no folder$/,
  ],
  ["local up --dir /proc/x", "CLI_FOLDER", /^\/proc\/x cannot be made: there can be no folder$/],
  ["plan --to 9.9.9-1", "CLI_UNKNOWN_RELEASE", /^"9\.9\.9-1" is in no release; known are: 7\.2\.4-12, /],
  ["upgrade --to 9.9.9-1 --yes", "CLI_UNKNOWN_RELEASE", /^"9\.9\.9-1" is in no release/],
  [
    "upgrade --cluster rec",
    "CLI_USAGE",
    /^unknown option '--cluster': the name of the cluster stands alone; required option '--to <release>' not specified; usage: storectl upgrade \[options\] \[cluster\]$/,
  ],
  [
    "upgrade rec --cluster=rec --to 8.2.0-12",
    "CLI_USAGE",
    /^unknown option '--cluster=rec': the name of the cluster stands alone; usage: /,
  ],
  // as an unset variable of a shell gives it
  ["status -n ", "CLI_USAGE", /^option '-n, --namespace <name>' is empty$/],
  ["plan --to ", "CLI_USAGE", /^option '--to <release>' is empty$/],
  ["role reader --user ", "CLI_USAGE", /^option '--user <name>' is empty$/],
  ["nodes ", "CLI_USAGE", /^argument 'cluster' is empty$/],
  ["why redb ", "CLI_USAGE", /^argument 'name' is empty$/],
  ["migrate http://redis orders", "MIGRATION_BAD_URI", /^The URI names no service/],
  ["migrate redis://u:p@redis orders", "MIGRATION_BAD_URI", /^The URI has a password/],
  ["migrate redis://%zz@redis orders", "MIGRATION_BAD_URI", /^The user in the URI has a %/],
  [
    "migrate redis://redis orders --endpoint redis",
    "CLI_USAGE",
    /'redis' is invalid\. it must be host:port, with a port/,
  ],
  ["migrate redis://redis orders --pause 5", "CLI_USAGE", /'5' is invalid\. it must be a number from 10 to 60000$/],
  ["bundle generate 9.9", "CLI_UNKNOWN_RELEASE", /^"9\.9" is in no release; known are: 7\.2\.4-12, /],
  ["bundle generate --out FOLDER/nosuch/bundle.yaml", "CLI_OUTPUT", /cannot be written: its folder is not there$/],
];

for (const [line, code, says] of cases) {
  test(`storectl ${line} ends with ${code} and a sentence for people`, async () => {
    const args = line.replaceAll("FOLDER", folder).split(" ");
    const env = { HOME: folder };
    await assert.rejects(
      runStorectl(args, { env, store: "", print: () => undefined, clock: systemClock }),
      (error: unknown) => {
        assert.ok(error instanceof Fault, String(error));
        assert.equal(error.code, code);
        assert.match(error.message, says);
        assert.doesNotMatch(
          error.message,
          /ENOENT|EISDIR|EEXIST|ENOTDIR|EACCES|EPERM|error:|undefined|\[object/,
          "words of a library",
        );
        assert.notEqual(error.remedy, "");
        return true;
      },
    );
  });
}

for (const [line, remedy] of [
  ["nosuch", "Read `storectl --help`."],
  ["backup nosuch", "Read `storectl backup --help`."],
  ["restore b1 --into orders --shards 2 --replace-lost-data", "Read `storectl restore --help`."],
  ["why database orders", "Read `storectl why --help`."],
] as const)
  test(`storectl ${line} names the help of the command that was typed`, async () => {
    const context = { env: { HOME: folder }, store: "", print: () => undefined, clock: systemClock };
    await assert.rejects(runStorectl(line.split(" "), context), (error: unknown) => {
      assert.ok(error instanceof Fault, String(error));
      assert.deepEqual([error.code, error.remedy, error.forPeople], ["CLI_USAGE", remedy, remedy]);
      return true;
    });
  });
