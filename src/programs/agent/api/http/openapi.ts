import { z } from "zod";
import { rolesWith } from "../../../../core/api/management-roles.ts";
import type { Release } from "../../../../core/releases/catalogue/release.ts";
import { carriedVersions } from "../../../../core/releases/catalogue/find.ts";
import { ERROR } from "../../../../ports/management/records/cluster.ts";
import { routes, type RouteName } from "../../../../ports/management/routes.ts";
import { bodiesFor, type Bodies } from "./bodies.ts";

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI document of the management API of a release, from the table of routes. */
export function openApiDocument(release: Release): Json & { readonly openapi: "3.1.0" } {
  const schemas: Record<string, unknown> = {};
  const named = (schema: z.ZodType, io: "input" | "output"): Json => namedSchema(schema, io, schemas);
  const error = { description: "Refused, or failed.", content: jsonContent(named(ERROR, "output")) };
  const bodies = bodiesFor(carriedVersions(release));
  const paths: Record<string, Record<string, Json>> = {};
  for (const name of Object.keys(routes).filter((each): each is RouteName => each in routes)) {
    const { method, path } = routes[name];
    (paths[path.replace(/:(\w+)/g, "{$1}")] ??= {})[method.toLowerCase()] = {
      ...operation(name),
      ...requestOf(name, bodies, named),
      responses: { "200": answerOf(name, named), default: error },
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Management API of Store Enterprise",
      version: release.operator,
      description: "HTTPS on port 9443 of every node. Clients ignore members that they do not know.",
    },
    security: [{ basic: [] }],
    paths,
    components: { securitySchemes: { basic: { type: "http", scheme: "basic" } }, schemas: sortSchemas(schemas) },
  };
}

/** The schemas of the objects that the API answers with, by name. */
export function objectSchemas(release: Release): Readonly<Record<string, Json>> {
  const { components } = openApiDocument(release) as unknown as { components: { schemas: Record<string, Json> } };
  return components.schemas;
}

function operation(name: RouteName): Json {
  const { path, auth, why, query } = routes[name];
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, each = ""]) => ({
    name: each,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([each, description]) => ({
    name: each,
    in: "query",
    description,
    schema: { type: "string" },
  }));
  const parameters = [...inPath, ...inQuery];
  return {
    operationId: name,
    summary: why,
    description: accessOf(auth),
    ...(auth === "none" ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
  };
}

function accessOf(auth: (typeof routes)[RouteName]["auth"]): string {
  if (auth === "none") return "Needs no credentials.";
  if (auth === "cluster") return "For the nodes of the cluster, with the credentials of its Secret.";
  return `Needs the permission ${auth}, which the roles ${rolesWith(auth).join(", ")} have.`;
}

type Named = (schema: z.ZodType, io: "input" | "output") => Json;

function requestOf(name: RouteName, bodies: Bodies, named: Named): Json {
  switch (routes[name].takes) {
    case "nothing":
      return {};
    case "json":
      return { requestBody: { content: jsonContent(named(bodies.schema(name), "input")) } };
    case "archive": {
      const module = { type: "string", contentMediaType: "application/zip" };
      const form = { type: "object", required: ["module"], properties: { module } };
      return { requestBody: { required: true, content: { "multipart/form-data": { schema: form } } } };
    }
  }
}

function answerOf(name: RouteName, named: Named): Json {
  const { gives } = routes[name];
  return { description: "Done, or accepted.", content: contentOf(gives, named) };
}

function contentOf(gives: (typeof routes)[RouteName]["gives"], named: Named): Json {
  if (gives === "bytes") return { "application/octet-stream": {} };
  return gives === "text" ? { "text/plain": {} } : jsonContent(named(gives, "output"));
}

function jsonContent(schema: Json): Json {
  return { "application/json": { schema } };
}

/** The schema, with those of its parts that have names moved into `schemas`. */
function namedSchema(schema: z.ZodType, io: "input" | "output", schemas: Record<string, unknown>): Json {
  const converted = z.toJSONSchema(schema, { io, unrepresentable: "any", override: leaveOutNoise });
  const text = JSON.stringify(converted).replaceAll("#/$defs/", "#/components/schemas/");
  const { $schema: _dialect, $defs, ...own } = JSON.parse(text) as Json; // of what was just converted
  Object.assign(schemas, $defs);
  return own;
}

/** Answers may get further members, and the largest integer of the language says nothing. */
function leaveOutNoise({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema["additionalProperties"] === false) delete jsonSchema["additionalProperties"];
  if (jsonSchema["maximum"] === Number.MAX_SAFE_INTEGER) delete jsonSchema["maximum"];
  if (jsonSchema["minimum"] === Number.MIN_SAFE_INTEGER) delete jsonSchema["minimum"];
}

function sortSchemas(schemas: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
