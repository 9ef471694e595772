import { Command, InvalidArgumentError, Option } from "commander";
import { applyFile } from "../../../core/api/kubectl.ts";
import { dnsLabel } from "../../../core/api/parts.ts";
import type { CliContext } from "../console/context.ts";
import { readTextFile, writeNew } from "../console/files.ts";
import { downloadBundle } from "./fetch.ts";
import { generateBundle, type GenerateOptions } from "./generate.ts";
import { bundleFile, bundleUrl, isTag, type PublishedOptions } from "./published.ts";

interface FetchOptions extends PublishedOptions {
  readonly sha256?: string;
  readonly ca?: string;
  readonly out?: string;
}

/** `storectl bundle`: what installs the operator, made here or fetched from where it is published (§4.1). */
export function bundleCommand(context: CliContext): Command {
  const bundle = new Command("bundle").description("the bundle that installs the operator: generate or fetch it");
  return bundle.addCommand(generateCommand(context)).addCommand(fetchCommand(context));
}

function generateCommand({ print }: CliContext): Command {
  return new Command("generate")
    .description("print the bundle of a release, as it is published; touches no cluster")
    .argument("[release]", "operator version (default: the latest)")
    .addOption(
      new Option("--variant <platform>", "what it is for; openshift makes distro.bundle.yaml")
        .choices(["kubernetes", "openshift"])
        .default("kubernetes"),
    )
    .option("--own <namespace>", "namespace of the operator; goes with --watch", namespaceName)
    .option(
      "--watch <namespace>",
      "another namespace that it manages; goes with --own; may be given several times",
      addNamespace,
    )
    .option("--repository <image>", "where the operator's image is, without its tag: a private registry")
    .option("--pull-secret <name>", "secret for the registry; may be given several times", addName)
    .option("--out <file>", "file to write, which must not be there yet (default: print it)")
    .action(async (release: string | undefined, options: GenerateOptions & { readonly out?: string }) => {
      const text = generateBundle(release, options);
      if (options.out === undefined) return print(text);
      await writeNew(options.out, text);
      print(`${options.out} is written; apply it: ${applyFile(options.out)}\n`);
    });
}

function fetchCommand({ print }: CliContext): Command {
  return new Command("fetch")
    .description("fetch a bundle over HTTPS, look into it and tell its checksum")
    .argument("[url]", "where it is: https://...; or give --base with --releases or --tag")
    .option("--base <url>", "where releases are published: the bundle is at <url>/<tag>/bundle.yaml")
    .option("--releases <url>", "the object of the latest release, whose tag_name is the tag")
    .option("--tag <tag>", "the tag of a release, in place of the latest", releaseTag)
    .addOption(
      new Option("--variant <platform>", "which of the two bundles of a release; openshift fetches distro.bundle.yaml")
        .choices(["kubernetes", "openshift"])
        .default("kubernetes"),
    )
    .option("--sha256 <checksum>", "what its checksum has to be: 64 hexadecimal digits", checksum)
    .option("--ca <file>", "authority of the server's certificate, PEM (default: the public ones)")
    .option("--out <file>", "file to write, which must not be there yet (default: as the bundle is called)")
    .action(async (url: string | undefined, options: FetchOptions) => {
      const { sha256, ca, out = bundleFile(options.variant) } = options;
      const trust = ca === undefined ? {} : { ca: await readTextFile(ca) };
      const fetched = await downloadBundle({
        url: await bundleUrl(url, options, trust),
        ...(sha256 === undefined ? {} : { sha256 }),
        ...trust,
      });
      await writeNew(out, fetched.text);
      print(`${out}: release ${fetched.release}, ${fetched.objects} objects\n`);
      print(
        `sha256 ${fetched.sha256}${sha256 === undefined ? " (not compared: give --sha256)" : ", as it has to be"}\n`,
      );
    });
}

function releaseTag(text: string): string {
  if (isTag(text)) return text;
  throw new InvalidArgumentError("it must be a tag: letters, digits, dots, hyphens and underscores, at most 64");
}

function namespaceName(text: string): string {
  if (dnsLabel.safeParse(text).success) return text;
  throw new InvalidArgumentError("it must be the name of a namespace: small letters, digits and hyphens, at most 63");
}

function addNamespace(name: string, names?: readonly string[]): readonly string[] {
  return addName(namespaceName(name), names);
}

function addName(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
}

function checksum(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError("it must be 64 hexadecimal digits");
}
