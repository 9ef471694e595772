import { z } from "zod";
import { Fault } from "#kit/base/fault";
import { isDeeperThan } from "#kit/base/json-depth";
import { causeText, sentence } from "../../core/planner/admission/objection.ts";
import type { SpecReview } from "../../core/planner/admission/review.ts";
import { faults } from "./faults.ts";

/** Texts that answers and logs repeat: a name of Kubernetes has 253 characters at most. */
const name = z.string().max(253);

const object = z.looseObject({
  metadata: z.looseObject({
    name: name.optional(),
    deletionTimestamp: z.string().optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    ownerReferences: z.array(z.looseObject({ kind: name, controller: z.boolean().optional() })).optional(),
  }),
  spec: z.unknown().optional(),
  status: z.unknown().optional(),
});

const envelope = z.object({
  apiVersion: z.enum(["admission.k8s.io/v1", "admission.k8s.io/v1beta1"]),
  kind: z.literal("AdmissionReview"),
  request: z.object({
    uid: name.min(1),
    kind: z.object({ group: name, kind: name }),
    namespace: name.default(""),
    name: name.default(""),
    operation: z.enum(["CREATE", "UPDATE", "DELETE", "CONNECT"]),
    subResource: z.string().optional(),
    userInfo: z.object({ username: z.string().default("") }).default({ username: "" }),
    object: object.nullish(),
    oldObject: object.nullish(),
  }),
});

/** Definitions, and what Kubernetes notes of the fields of an object, have about forty. */
const REVIEW_LEVELS = 256;

/** What the API server asks. */
export type ReviewEnvelope = z.output<typeof envelope>;
export type ReviewRequest = ReviewEnvelope["request"];

/** The question in a body; WEBHOOK_BAD_REVIEW when it holds none. */
export function readQuestion(text: string): ReviewEnvelope {
  const json = jsonOf(text);
  // objects are compared by recursion, and a stack has an end
  if (isDeeperThan(json, REVIEW_LEVELS))
    throw new Fault(faults.badReview, `the body is more than ${REVIEW_LEVELS} levels deep`);
  const parsed = envelope.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const said = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}`;
  throw new Fault(faults.badReview, `the body is no AdmissionReview: ${said}`);
}

/** The answer to `question`, in the version in which it was asked. */
export function answerTo({ apiVersion, kind, request }: ReviewEnvelope, { denials, warnings }: SpecReview): object {
  const allowed = denials.length === 0;
  const response = {
    uid: request.uid,
    allowed,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(allowed ? {} : { status: statusOf(request, denials) }),
  };
  return { apiVersion, kind, response };
}

function statusOf({ name, kind, object: asked }: ReviewRequest, denials: SpecReview["denials"]): object {
  return {
    status: "Failure",
    code: 422,
    reason: "Invalid",
    message: denials.map(sentence).join(" | "),
    details: {
      name: name || (asked?.metadata.name ?? ""),
      group: kind.group,
      kind: kind.kind,
      causes: denials.map((denial) => ({
        reason: denial.reason,
        field: denial.field,
        message: causeText(denial),
      })),
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault(faults.badReview, "the body is no JSON", {}, error);
  }
}
