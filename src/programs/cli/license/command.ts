import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { createConfigMap, createSecret } from "../../../core/api/kubectl.ts";
import { LICENSE_KEY } from "../../../core/api/names.ts";
import { LICENSE_AUTHORITIES, type LicenseTerms } from "../../../core/api/license.ts";
import type { Clock } from "#kit/base/clock";
import { timestamp } from "#kit/kube/timestamp";
import { createLicenseAuthority, readLicense, signLicense } from "../../../ports/management/license.ts";
import { readTextFile, writeNew } from "../console/files.ts";
import { makePrivateFolder } from "../console/make-folder.ts";
import { namedValues } from "../console/output.ts";
import { placeholder } from "#kit/base/shell-word";

const DAY_MS = 86_400_000;

interface LicenseContext {
  readonly print: (text: string) => void;
  readonly clock: Clock;
}

interface IssueOptions {
  readonly key: string;
  readonly cluster: string;
  readonly shards: number;
  readonly days: number;
  readonly owner: string;
}

/** `storectl license`: reads licences, and issues them for a user's own authority. */
export function licenseCommand({ print, clock }: LicenseContext): Command {
  const license = new Command("license").description("licences: what one grants, and how to issue them");
  license
    .command("show")
    .description("say what a licence grants, to whom and for how long; its signature is checked by the cluster")
    .argument("<file>", "the licence")
    .addOption(new Option("-o, --output <form>", "form of the answer").choices(["text", "json"]).default("text"))
    .action(async (file: string, { output }: { readonly output: string }) => {
      const terms = readLicense(await readTextFile(file));
      print(output === "json" ? `${JSON.stringify(terms, undefined, 2)}\n` : termsText(terms, clock.now()));
    });
  license
    .command("authority")
    .description("make the pair of keys that signs licences and proves them")
    .requiredOption("--dir <folder>", "where the keys go")
    .action(async ({ dir }: { readonly dir: string }) => {
      print(await makeAuthority(dir));
    });
  license
    .command("issue")
    .description("sign a licence")
    .requiredOption("--key <file>", "the authority's private key")
    .requiredOption("--cluster <name>", "the cluster: <rec>.<namespace>.svc.cluster.local")
    .requiredOption("--shards <number>", "shards that it allows, primaries and replicas together", wholeNumber)
    .option("--days <number>", "how long it lasts from now", wholeNumber, 365)
    .option("--owner <name>", "whom it is for", "")
    .action(async (options: IssueOptions) => {
      print(signLicense(termsOf(options, clock.now()), await readTextFile(options.key)));
    });
  return license;
}

async function makeAuthority(dir: string): Promise<string> {
  const { privateKey, publicKey } = createLicenseAuthority();
  const [secret, open] = [join(dir, "private.pem"), join(dir, "public.pem")];
  await makePrivateFolder(dir);
  // never over a key that has signed licences already
  await writeNew(secret, privateKey, 0o600);
  await writeNew(open, publicKey);
  return (
    `The private key is ${secret}: keep it to yourself, it signs licences.\n` +
    "Clusters of a namespace trust it once they have the public key:\n" +
    `  ${createConfigMap(LICENSE_AUTHORITIES, open)}\n`
  );
}

function termsOf({ cluster, shards, days, owner }: IssueOptions, now: Date): LicenseTerms {
  return {
    cluster_name: cluster,
    owner,
    activation_date: timestamp(now),
    expiration_date: timestamp(new Date(now.getTime() + days * DAY_MS)),
    shards_limit: shards,
    features: [],
  };
}

function termsText(terms: LicenseTerms, now: Date): string {
  const left = Math.ceil((Date.parse(terms.expiration_date) - now.getTime()) / DAY_MS);
  const rows: [string, string][] = [
    ["cluster", terms.cluster_name],
    ["owner", terms.owner === "" ? "-" : terms.owner],
    ["shards", String(terms.shards_limit)],
    ["begins", terms.activation_date],
    ["ends", `${terms.expiration_date} (${left <= 0 ? "over" : `${left} days left`})`],
    ["features", terms.features.length === 0 ? "-" : terms.features.join(", ")],
  ];
  const install = `Install it: ${createSecret(placeholder("<namespace>"), placeholder("<name>"), placeholder(`${LICENSE_KEY}=<file>`))}, then spec.licenseSecretName\n`;
  return namedValues(rows, 10) + install;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 1_000_000) return number;
  throw new InvalidArgumentError("it must be a whole number from 1 to 1000000");
}
