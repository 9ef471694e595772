import type { z } from "zod";
import type { ManagementPermission } from "../../core/api/management-roles.ts";
import type { Answered } from "./records/answered.ts";

/** One operation: where it is, who may call it and why; its type gives path parameters, body and reply. */
export interface Route<Params extends string, Body, Reply> {
  readonly method: Method;
  /** Path with `:name` parameters. */
  readonly path: string;
  /** The permission that a caller needs; `cluster`: only the cluster itself, with the credentials of its Secret. */
  readonly auth: Access;
  readonly why: string;
  /** `archive`: a multipart form with one file field, `module` (§4.2). */
  readonly takes: "nothing" | "json" | "archive";
  /** What the answer is; where there is no schema, a stream of bytes, or text that concerns the node alone. */
  readonly gives: z.ZodType | "bytes" | "text";
  /** Parameters of the query, each with what it does. A write with any other is refused. */
  readonly query: Readonly<Record<string, string>>;
  /** Types only, never set. */
  readonly types?: { readonly params: Record<Params, string | number>; readonly body: Body; readonly reply: Reply };
}

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Access = "none" | "cluster" | ManagementPermission;

/** The names of the parameters of a path. */
type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type ReplyOf<Gives> = Gives extends z.ZodType
  ? Answered<Gives>
  : Gives extends "text"
    ? string
    : AsyncIterable<Uint8Array>;

/** What a route takes; its type parameter is that of the body. */
export interface Taken<Body> {
  readonly takes: "json" | "archive";
  /** Types only, never set. */
  readonly body?: Body;
}

/** A JSON body. */
export function json<Body>(): Taken<Body> {
  return { takes: "json" };
}

/** A form with one file. */
export function archive<Body>(): Taken<Body> {
  return { takes: "archive" };
}

/** An operation that takes what `taken` says, and nothing without it. */
export function route<const Path extends string, const Gives extends z.ZodType | "bytes" | "text", Body = undefined>(
  method: Method,
  path: Path,
  auth: Access,
  why: string,
  gives: Gives,
  taken?: Taken<Body>,
): Route<ParamsOf<Path>, Body, ReplyOf<Gives>> {
  return { method, path, auth, why, gives, takes: taken?.takes ?? "nothing", query: {} };
}

/** The operation with parameters of its query, each with what it does. */
export function withQuery<Params extends string, Body, Reply>(
  operation: Route<Params, Body, Reply>,
  query: Readonly<Record<string, string>>,
): Route<Params, Body, Reply> {
  return { ...operation, query };
}
