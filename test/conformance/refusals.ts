import assert from "node:assert/strict";
import { configMap, pod } from "./objects.ts";
import type { Rule, RuleContext, RuleSet } from "./rule-set.ts";
import { tooLarge, type Refusal } from "./too-large.ts";

const maps = ({ at }: RuleContext): string => at("configmaps");
const NOT_SERVED = /the server could not find the requested resource/;
const NO_METHOD = /the server does not allow this method on the requested resource/;

const refusals: readonly Refusal[] = [
  {
    what: "a taken name",
    method: "POST",
    path: maps,
    body: configMap("kube-root-ca.crt"),
    code: 409,
    reason: "AlreadyExists",
    message: /^configmaps "kube-root-ca.crt" already exists$/,
  },
  {
    what: "a name in capitals",
    method: "POST",
    path: maps,
    body: configMap("Wrong"),
    code: 422,
    reason: "Invalid",
    message: /^ConfigMap "Wrong" is invalid: metadata.name: Invalid value: "Wrong": a lowercase RFC 1123 subdomain/,
  },
  {
    what: "no name",
    method: "POST",
    path: maps,
    body: configMap(""),
    code: 422,
    reason: "Invalid",
    message: /metadata.name: Required value: name or generateName is required/,
  },
  {
    what: "a label that is none",
    method: "POST",
    path: maps,
    body: configMap("labelled", { app: "-bad-" }),
    code: 422,
    reason: "Invalid",
    message: /metadata.labels: Invalid value: "-bad-": a valid label must be/,
  },
  {
    what: "a namespace that is not there",
    method: "POST",
    path: () => "/api/v1/namespaces/nowhere/configmaps",
    body: configMap("a"),
    code: 404,
    reason: "NotFound",
    message: /^namespaces "nowhere" not found$/,
  },
  {
    what: "another namespace than the path's",
    method: "POST",
    path: maps,
    body: { metadata: { name: "a", namespace: "x" } },
    code: 400,
    reason: "BadRequest",
    message: /^the namespace of the provided object does not match the namespace sent on the request$/,
  },
  {
    what: "another kind",
    method: "POST",
    path: maps,
    body: { ...configMap("a"), kind: "Secret" },
    code: 400,
    reason: "BadRequest",
    message: /^Secret in version "v1" cannot be handled as a ConfigMap/,
  },
  {
    what: "another name than the path's",
    method: "PUT",
    path: ({ at }) => at("configmaps", "kube-root-ca.crt"),
    body: configMap("b"),
    code: 400,
    reason: "BadRequest",
    message: /^the name of the object \(b\) does not match the name on the URL \(kube-root-ca.crt\)$/,
  },
  {
    what: "a value of the wrong type",
    method: "POST",
    path: maps,
    body: configMap("a", {}, { data: { x: 1 } }),
    code: 400,
    reason: "BadRequest",
    message:
      /^ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap\.data\S* of type string$/,
  },
  {
    what: "no JSON",
    method: "POST",
    path: maps,
    body: "{",
    code: 400,
    reason: "BadRequest",
    message: /./,
  },
  { what: "a list", method: "POST", path: maps, body: [], code: 400, reason: "BadRequest", message: /./ },
  {
    what: "a body of a foreign type",
    method: "POST",
    path: maps,
    body: "<a/>",
    type: "text/xml",
    code: 415,
    reason: "UnsupportedMediaType",
    message: /the body of the request was in an unknown format - accepted media types include: application\/json/,
  },
  {
    what: "a resource that is not served",
    method: "GET",
    path: ({ at }) => at("apps/v1/nothing"),
    code: 404,
    reason: "NotFound",
    message: NOT_SERVED,
  },
  {
    what: "a subresource that is not served",
    method: "GET",
    path: ({ at }) => at("configmaps", "a/status"),
    code: 404,
    reason: "NotFound",
    message: NOT_SERVED,
  },
  {
    what: "a creation below a name",
    method: "POST",
    path: ({ at }) => at("configmaps", "a"),
    body: configMap("a"),
    code: 405,
    reason: "MethodNotAllowed",
    message: NO_METHOD,
  },
  {
    what: "a replacement of a collection",
    method: "PUT",
    path: maps,
    body: configMap("a"),
    code: 405,
    reason: "MethodNotAllowed",
    message: NO_METHOD,
  },
  {
    what: "a patch of a collection",
    method: "PATCH",
    path: maps,
    body: {},
    type: "application/merge-patch+json",
    code: 405,
    reason: "MethodNotAllowed",
    message: NO_METHOD,
  },
  {
    what: "the deletion of all namespaces",
    method: "DELETE",
    path: () => "/api/v1/namespaces",
    code: 405,
    reason: "MethodNotAllowed",
    message: NO_METHOD,
  },
  {
    what: "a creation in no namespace",
    method: "POST",
    path: () => "/api/v1/configmaps",
    body: configMap("a"),
    code: 405,
    reason: "MethodNotAllowed",
    message: NO_METHOD,
  },
  {
    what: "a read of what can only be posted",
    method: "GET",
    path: () => "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    code: 405,
    reason: "MethodNotAllowed",
    message: NO_METHOD,
  },
  {
    what: "a read of a pod's eviction",
    method: "GET",
    path: ({ at }) => at("pods", "a/eviction"),
    code: 405,
    reason: "MethodNotAllowed",
    message: NO_METHOD,
  },
  {
    what: "the deletion of a status",
    method: "DELETE",
    path: ({ at }) => at("pods", "a/status"),
    code: 405,
    reason: "MethodNotAllowed",
    message: NO_METHOD,
  },
  {
    what: "a patch of nothing",
    method: "PATCH",
    path: ({ at }) => at("configmaps", "absent"),
    body: {},
    type: "application/merge-patch+json",
    code: 404,
    reason: "NotFound",
    message: /^configmaps "absent" not found$/,
  },
  {
    what: "the deletion of the namespace default",
    method: "DELETE",
    path: () => "/api/v1/namespaces/default",
    code: 403,
    reason: "Forbidden",
    message: /^namespaces "default" is forbidden: this namespace may not be deleted$/,
  },
  {
    what: "an answer in an unknown form",
    method: "GET",
    path: maps,
    type: "image/png",
    code: 406,
    reason: "NotAcceptable",
    message: /./,
  },
  {
    what: "a pod without containers",
    method: "POST",
    path: ({ at }) => at("pods"),
    body: pod("empty", { containers: [] }),
    code: 422,
    reason: "Invalid",
    message: /^Pod "empty" is invalid: spec.containers: Required value$/,
  },
];

/** Requests that cannot be carried out, and the Status that says so. */
export const refused: RuleSet = {
  title: "refusals",
  rules: [refusalRules],
};

function refusalRules(rule: Rule): void {
  for (const { what, method, path, body, type, code, reason, message } of [...refusals, ...tooLarge]) {
    rule(`${what} is ${code} ${reason}`, async (context) => {
      const options = method === "GET" ? { headers: { accept: type ?? "*/*" } } : type === undefined ? {} : { type };
      const answer = await context.send(method, path(context), {
        ...options,
        ...(body === undefined ? {} : { body }),
      });
      assert.equal(answer.body?.kind, "Status", answer.text);
      const { status, reason: reported, code: inBody } = answer.body;
      assert.deepEqual([answer.code, inBody, status, reported], [code, code, "Failure", reason], answer.text);
      assert.match(answer.body.message, message);
    });
  }
}
