import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { Field, Shape, Value } from "./shape.ts";

/** The shapes of the members of `type Contracts`, which `declaration` declares; it stands in the root of a checkout. */
export function shapesOfTypes(checkout: string, declaration: string): Readonly<Record<string, Shape>> {
  const file = join(checkout, "contracts-of-this-release.ts");
  const program = ts.createProgram([file], optionsOf(checkout), hostWith(checkout, file, declaration));
  const source = program.getSourceFile(file);
  const wrong = program
    .getSemanticDiagnostics(source)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  if (source === undefined || wrong.length > 0)
    throw new Error(`${checkout} has not what is compared: ${wrong.join("; ")}`);
  const alias = source.statements.find(ts.isTypeAliasDeclaration);
  if (alias === undefined) throw new Error("the declaration has no type");
  const checker = program.getTypeChecker();
  const all = shapeOf(checker, checker.getTypeAtLocation(alias));
  if (all.is !== "object") throw new Error("the type is no object");
  return Object.fromEntries(Object.entries(all.fields).map(([name, { shape }]) => [name, shape]));
}

function optionsOf(checkout: string): ts.CompilerOptions {
  const path = join(checkout, "tsconfig.json");
  const { config } = ts.readConfigFile(path, (name) => readFileSync(name, "utf8"));
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, checkout).options;
}

/** The files of the checkout, and the declaration, which is not written to it. */
function hostWith(checkout: string, file: string, declaration: string): ts.CompilerHost {
  const host = ts.createCompilerHost(optionsOf(checkout));
  const read = (name: string): string | undefined =>
    name === file ? declaration : existsSync(name) ? readFileSync(name, "utf8") : undefined;
  return {
    ...host,
    getCurrentDirectory: () => checkout,
    fileExists: (name) => name === file || host.fileExists(name),
    readFile: read,
    getSourceFile: (name, version) => {
      const text = read(name);
      return text === undefined ? undefined : ts.createSourceFile(name, text, version);
    },
  };
}

/** Types of what is sent as it is: in one piece, as a file, or as a stream. */
const BYTES = new Set(["Uint8Array", "Blob", "AsyncIterable"]);

function shapeOf(checker: ts.TypeChecker, type: ts.Type): Shape {
  if (type.isUnion()) return shapeOfUnion(checker, type);
  const literal = literalOf(checker, type);
  if (literal !== undefined) return { is: "values", of: [literal] };
  if (type.flags & ts.TypeFlags.StringLike) return { is: "string" };
  if (type.flags & ts.TypeFlags.NumberLike) return { is: "number" };
  if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return { is: "anything" };
  if (type.flags & ts.TypeFlags.NonPrimitive) return { is: "object", fields: {}, others: { is: "anything" } };
  if (BYTES.has(type.symbol?.name)) return { is: "bytes" };
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference);
    return { is: "list", of: element === undefined ? { is: "anything" } : shapeOf(checker, element) };
  }
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0)
    throw new Error(`no shape for the type ${checker.typeToString(type)}`);
  return shapeOfObject(checker, type);
}

function shapeOfObject(checker: ts.TypeChecker, type: ts.Type): Shape {
  const fields = checker.getPropertiesOfType(type).map((property): [string, Field] => {
    const given = checker.getTypeOfSymbol(property);
    const optional = (property.flags & ts.SymbolFlags.Optional) !== 0 || allows(given, ts.TypeFlags.Undefined);
    return [property.name, { shape: shapeOf(checker, given), optional }];
  });
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
  const others = index === undefined ? {} : { others: shapeOf(checker, index.type) };
  return { is: "object", fields: Object.fromEntries(fields), ...others };
}

/** Literals become one list of values, and `undefined` is what an optional field may be. */
function shapeOfUnion(checker: ts.TypeChecker, type: ts.UnionType): Shape {
  const members = type.types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
  const values = members.map((member) => literalOf(checker, member)).filter((value) => value !== undefined);
  const others = members
    .filter((member) => literalOf(checker, member) === undefined)
    .map((one) => shapeOf(checker, one));
  const isBoolean = values.includes(true) && values.includes(false);
  const rest = isBoolean ? values.filter((value) => typeof value !== "boolean") : values;
  const all: readonly Shape[] = [
    ...(isBoolean ? [{ is: "boolean" } as const] : []),
    ...(rest.length === 0 ? [] : [{ is: "values", of: rest } as const]),
    ...others,
  ];
  const [only] = all;
  return only !== undefined && all.length === 1 ? only : { is: "one of", of: all };
}

function literalOf(checker: ts.TypeChecker, type: ts.Type): Value | undefined {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  if (type.flags & ts.TypeFlags.BooleanLiteral) return checker.typeToString(type) === "true";
  return type.flags & ts.TypeFlags.Null ? null : undefined;
}

function allows(type: ts.Type, flag: ts.TypeFlags): boolean {
  return (type.flags & flag) !== 0 || (type.isUnion() && type.types.some(({ flags }) => (flags & flag) !== 0));
}
