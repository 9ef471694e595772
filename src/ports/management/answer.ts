import { Fault } from "#kit/base/fault";
import type { FaultSpec } from "#kit/base/fault";
import { faults } from "./faults.ts";
import type { ErrorBody } from "./records.ts";
import type { HttpAnswer } from "./request.ts";
import { routes } from "./routes.ts";
import type { ReplyOf, RouteName } from "./routes.ts";
import { parseJson } from "#kit/base/json";

/** The reply that `answer` carries; a Fault with `status` and `error_code` in its details when it is an error. */
export function answerOf<N extends RouteName>(name: N, origin: string, answer: HttpAnswer): ReplyOf<N> {
  const { method, path } = routes[name];
  const isSuccess = answer.status >= 200 && answer.status < 300;
  const body = answer.stream === undefined ? parseIfJson(answer.bytes.toString()) : { value: answer.stream };
  if (isSuccess && body !== undefined) return name === "actions" ? listOfActions(body.value) : body.value;
  const { error_code, description } = errorOf(body?.value, answer);
  throw new Fault(
    specOf(answer.status),
    `${method} ${path}: ${description} (${answer.status} ${error_code}, from ${origin})`,
    {
      route: name,
      status: answer.status,
      error_code,
      description,
    },
  );
}

/** `error_code` of an answer; "unknown" when it is none of a node. */
export function errorCodeOf(answer: HttpAnswer): string {
  return errorOf(parseIfJson(answer.bytes.toString())?.value, answer).error_code;
}

/** What a node of any release answers with 503 when it certainly did not run the request, and another one may. */
export const NOT_RUN: readonly string[] = ["node_not_joined", "stale", "no_leader"];

/** `error_code` of a request that found no Secret for what it makes. */
export const SECRET_NOT_MADE = "secret_not_made";

/** A node of release 0.1.0 puts the list into an object. */
function listOfActions(reply: ReplyOf<"actions"> | { readonly actions: ReplyOf<"actions"> }): ReplyOf<"actions"> {
  return "actions" in reply ? reply.actions : reply;
}

function specOf(status: number): FaultSpec {
  switch (status) {
    case 401:
      return faults.unauthorized;
    case 404:
      return faults.notFound;
    case 409:
      return faults.conflict;
    default:
      return status >= 400 && status < 500 ? faults.refused : faults.failed;
  }
}

/** JSON of a peer whose certificate and credentials were checked: its shape is the route's. */
function parseIfJson(text: string): { readonly value: ReturnType<typeof JSON.parse> } | undefined {
  const value = parseJson(text) as ReturnType<typeof JSON.parse>;
  return value === undefined ? undefined : { value };
}

function errorOf(body: unknown, answer: HttpAnswer): Pick<ErrorBody, "error_code" | "description"> {
  if (isErrorBody(body)) return body;
  return { error_code: "unknown", description: answer.bytes.toString("utf8", 0, 200) || "no body" };
}

function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === "object" &&
    body !== null &&
    "error_code" in body &&
    typeof body.error_code === "string" &&
    "description" in body &&
    typeof body.description === "string"
  );
}
