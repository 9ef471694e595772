import { z } from "zod";
import { JSON_SCHEMA, OPENAPI } from "../records/documents.ts";
import { EVENT } from "../records/events.ts";
import { route, withQuery } from "../route.ts";

/** What the API says about itself, and what happened to the cluster. */
export const documentRoutes = {
  openapi: route("GET", "/v1/openapi.json", "view_cluster_info", "the OpenAPI document of this API", OPENAPI),
  jsonSchemas: withQuery(
    route(
      "GET",
      "/v1/jsonschema",
      "view_cluster_info",
      "the names of the objects of this API; with `object` the JSON schema of one",
      z.union([z.array(z.string()), JSON_SCHEMA]),
    ),
    { object: "name of an object" },
  ),
  jsonSchema: route("GET", "/v1/jsonschema/:object", "view_cluster_info", "the JSON schema of an object", JSON_SCHEMA),
  logs: withQuery(
    route(
      "GET",
      "/v1/logs",
      "view_logged_events",
      "what happened, as far as the records of the cluster say when",
      z.array(EVENT),
    ),
    {
      stime: "no event before this time",
      etime: "no event after this time",
      order: "`asc`, the oldest first, as without it; or `desc`",
      limit: "at most so many events",
      offset: "leaves out so many events first",
    },
  ),
} as const;
