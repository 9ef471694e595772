import { Command } from "commander";
import { stringify } from "yaml";
import type { CliContext } from "../console/context.ts";
import { writeNew } from "../console/files.ts";
import { lookAtCluster } from "../access/look.ts";
import {
  withAccess,
  withNamespaceOptions,
  type NamespaceAccess,
  type NamespaceOptions,
} from "../access/namespace-access.ts";
import { bytesText } from "../console/units.ts";
import { standingsIn } from "../backup/standing.ts";
import { whyOf } from "../why/ask.ts";
import { collect } from "./collect.ts";
import { redaction } from "./redact.ts";
import { supportReport } from "./report.ts";
import { tarGz, type ArchiveFile } from "./tar.ts";

/** `storectl support-bundle`: everything that support needs, without secrets, in one archive. */
export function supportBundleCommand(context: CliContext): Command {
  const command = new Command("support-bundle")
    .description("collect what support needs to see in one archive, without secrets")
    .argument("[cluster]", "the cluster (default: the only one of the namespace)")
    .option("--out <file>", "archive to write, which must not be there yet (default: support-<cluster>-<time>.tar.gz)")
    .action(async (cluster: string | undefined, options: NamespaceOptions & { readonly out?: string }) => {
      const at = context.clock.now();
      const { name, files, missing } = await withAccess(options, context, (access) => gather(access, cluster, at));
      const stamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
      const out = options.out ?? `support-${name}-${stamp}.tar.gz`;
      const archive = tarGz(files, at);
      await writeNew(out, archive, 0o600);
      context.print(`${out}: ${files.length} files, ${bytesText(archive.length)}, secrets taken out\n`);
      if (missing > 0) context.print(`${missing} things could not be looked at: report.txt names them\n`);
      context.print(`Look through it before you hand it on: tar -xzOf ${out} ${folderOf(name)}/report.txt | less\n`);
    });
  return withNamespaceOptions(command);
}

interface Gathered {
  readonly name: string;
  readonly files: readonly ArchiveFile[];
  /** How much could not be looked at. */
  readonly missing: number;
}

async function gather(access: NamespaceAccess, cluster: string | undefined, at: Date): Promise<Gathered> {
  const look = await lookAtCluster(access, cluster);
  const { name } = look.observation.view;
  const collection = await collect(access, look.observation.connection?.client);
  const backups = await standingsIn(access, access.around, look.databases);
  const report = supportReport({ look, why: await whyOf(access, look), backups }, collection, at);
  const { value, text } = redaction(collection.secrets);
  const written = collection.files.map((file) => ({
    path: `${folderOf(name)}/${file.path}`,
    // once more as a text: what is no secret by its field may be one by its look
    content: text(typeof file.value === "string" ? file.value : yamlText(value(file.value))),
  }));
  const files = [{ path: `${folderOf(name)}/report.txt`, content: text(report) }, ...written];
  return { name, files, missing: collection.missing.length };
}

function folderOf(cluster: string): string {
  return `support-${cluster}`;
}

function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
