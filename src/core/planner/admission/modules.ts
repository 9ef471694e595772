import { editObject } from "../../api/kubectl.ts";
import type { DatabaseSpec } from "../../api/database-spec.ts";
import { isSameModule } from "../modules/module-name.ts";
import { duplicateValue, forbiddenValue, unsupportedValue, type Objection } from "./objection.ts";
import type { LoadedModule } from "./reviewed-database.ts";
import type { ReferencedCluster } from "./references.ts";

type ModuleItem = NonNullable<DatabaseSpec["moduleList"]>[number];

/** The two names of the list of modules, as they are written in one place. */
export interface ModuleLists {
  readonly moduleList?: readonly ModuleItem[] | undefined;
  readonly modulesList?: readonly ModuleItem[] | undefined;
}

/** The list, whatever it is called; empty when there is none. */
export function moduleItemsOf({ moduleList, modulesList }: ModuleLists): readonly ModuleItem[] {
  return modulesList ?? moduleList ?? [];
}

/** Both names of the list are used, for different lists. */
export function listContradiction(at: string, lists: ModuleLists): readonly Objection[] {
  const { moduleList, modulesList } = lists;
  if (moduleList === undefined || modulesList === undefined) return [];
  if (numbers(moduleList) === numbers(modulesList)) return [];
  const why = `${at}.moduleList and ${at}.modulesList are two names of one list and differ`;
  return [forbiddenValue(`${at}.moduleList`, why, `leave ${at}.moduleList out`, "ModuleListContradiction")];
}

/** A module is named twice. */
export function repeatedModules(at: string, lists: ModuleLists): readonly Objection[] {
  const names = moduleItemsOf(lists).map(({ name }) => name.toLowerCase());
  return moduleItemsOf(lists).flatMap(({ name }, index) =>
    names.indexOf(name.toLowerCase()) === index
      ? []
      : [
          duplicateValue(
            `${fieldOf(at, lists)}[${index}].name`,
            name,
            "a module is listed once",
            "remove one of the two",
          ),
        ],
  );
}

/**
 * A module that no engine of the database's version brings, and that is neither installed for this version nor listed. Of a cluster that has not
 * reported its modules nothing is known here; it refuses the database itself.
 */
export function unknownModules(
  at: string,
  lists: ModuleLists,
  cluster: ReferencedCluster | undefined,
  storeVersion: string | undefined,
): readonly Objection[] {
  if (cluster?.modules === undefined) return [];
  const there = cluster.modules.filter(
    ({ databaseVersions }) =>
      databaseVersions === undefined || !isNumber(storeVersion) || databaseVersions.includes(storeVersion),
  );
  const known = [...new Set([...there.flatMap(({ names }) => names), ...cluster.userModules])];
  return moduleItemsOf(lists).flatMap(({ name }, index) =>
    known.some((each) => isSameModule(each, name))
      ? []
      : [
          unsupportedValue(
            `${fieldOf(at, lists)}[${index}].name`,
            name,
            known,
            `define it first in spec.userDefinedModules of the cluster: ${editObject(`rec ${cluster.name}`)}`,
            "UnsupportedModuleVersion",
          ),
        ],
  );
}

/** What asks for no version, or for a channel such as `latest`, may get any. */
function isNumber(storeVersion: string | undefined): storeVersion is string {
  return /^\d/.test(storeVersion ?? "");
}

/** §2.3: numbers stay as they are when the version changes. */
export function renumberedModules(at: string, lists: ModuleLists, before: ModuleLists): readonly Objection[] {
  if (numbers(moduleItemsOf(lists)) === numbers(moduleItemsOf(before))) return [];
  const why = "it is edited together with the version; a database takes the modules bundled with its new version";
  return [forbiddenValue(fieldOf(at, lists), why, "leave it as it was; edit it afterwards if you like")];
}

/** The modules of a database that exists stay what they are: engines load them when they start, and data depends on them. */
export function changedModules(
  at: string,
  lists: ModuleLists,
  before: ModuleLists | undefined,
  loaded: readonly LoadedModule[] | undefined,
): readonly Objection[] {
  const wanted = wordsOf(lists);
  const had = before === undefined ? askedFor(loaded, wanted) : wordsOf(before);
  if (had === undefined) return [];
  const said = (verb: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${names.map((name) => `"${name}"`).join(", ")} would be ${verb}`];
  const changes = [
    ...said(
      "added",
      [...wanted.values()].filter(({ name }) => !had.has(name.toLowerCase())).map(({ name }) => name),
    ),
    ...said(
      "removed",
      [...had].filter(([key]) => !wanted.has(key)).map(([, { name }]) => name),
    ),
    ...said(
      "given other arguments",
      [...wanted]
        .filter(([key, { config }]) => had.has(key) && had.get(key)?.config !== config)
        .map(([, { name }]) => name),
    ),
  ];
  if (changes.length === 0) return [];
  const why = `${changes.join("; ")}; the modules of a database that exists cannot be changed`;
  return [forbiddenValue(fieldOf(at, lists), why, "leave the list as it was, or make another database with it")];
}

type Words = ReadonlyMap<string, { readonly name: string; readonly config: string }>;

function wordsOf(lists: ModuleLists): Words {
  return new Map(moduleItemsOf(lists).map(({ name, config = "" }) => [name.toLowerCase(), { name, config }]));
}

/** Modules that the database asked for; one that is written and loaded counts where the node does not tell. */
function askedFor(loaded: readonly LoadedModule[] | undefined, wanted: Words): Words | undefined {
  if (loaded === undefined) return undefined;
  return new Map(
    loaded.flatMap(({ name, args }) => {
      const written = wanted.get(name.toLowerCase());
      if (args === undefined && written === undefined) return []; // the engine brings it
      return [[name.toLowerCase(), { name, config: args ?? written?.config ?? "" }] as const];
    }),
  );
}

/** Where the list is that counts. */
export function fieldOf(at: string, { modulesList }: ModuleLists): string {
  return `${at}.${modulesList === undefined ? "moduleList" : "modulesList"}`;
}

function numbers(list: readonly ModuleItem[]): string {
  return JSON.stringify(list.map(({ name, version = "" }) => [name, version]));
}
