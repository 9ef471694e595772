import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** The licences of every library that a bundle has taken in, each text once, under the names of those that it is for. Equal input, equal text. */
export function licencesOf({ inputs }: Metafile, checkout: string): string {
  const folders = new Set(Object.keys(inputs).flatMap((input) => PACKAGE.exec(input)?.[1] ?? []));
  const named = new Map<string, string[]>();
  for (const folder of [...folders].toSorted()) {
    const text = textOf(join(checkout, folder));
    named.set(text, [...(named.get(text) ?? []), nameOf(join(checkout, folder))]);
  }
  const parts = [...named].map(([text, names]) => `${names.join("\n")}\n\n${text.trim()}\n`);
  return `The programs of this folder contain these libraries.\n${parts.map((part) => `\n${LINE}\n\n${part}`).join("")}`;
}

/** The innermost package that a file belongs to. */
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LINE = "-".repeat(80);

function nameOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${name} ${version} (${license})`;
}

/** What stands in its files about its licence; empty when it has only named one. */
function textOf(folder: string): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  return files
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n"))
    .join("\n");
}
