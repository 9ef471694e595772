import { z } from "zod";
import { isDeeperThan, MOST_LEVELS } from "#kit/base/json-depth";

/** A Kubernetes quantity such as `4Gi` or `2`. */
const quantity = z.union([z.int(), z.string()]).meta({ "x-kubernetes-int-or-string": true }).transform(String);

/** A DNS label: what Kubernetes accepts as the name of a Service or a Pod. */
export const dnsLabel = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

/** Text by text, as labels and annotations are. */
export const textMap = z.record(z.string(), z.string());

/** An object that is handed on to Kubernetes as it is. Programs compare it by recursion, and a stack has an end. */
export const passedThrough = z
  .looseObject({})
  .refine((given) => !isDeeperThan(given, MOST_LEVELS), `must be at most ${MOST_LEVELS} levels deep`);

/** Requests and limits of a container. */
export const resourceRequirements = z.object({
  requests: z.record(z.string(), quantity).exactOptional().describe("What the container is guaranteed."),
  limits: z.record(z.string(), quantity).exactOptional().describe("The most that the container may use."),
});

/** An image and, when wanted, the one build of it (§2.2). */
export const imageSpec = z.object({
  repository: z.string().min(1).optional().describe("Image repository (§2.2)."),
  versionTag: z.string().min(1).max(128).optional().describe("Image tag (§2.2)."),
  digestHash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .optional()
    .describe("Digest that pins the image; not together with automatic upgrade (§3)."),
  imagePullPolicy: z
    .enum(["Always", "Never", "IfNotPresent"])
    .default("IfNotPresent")
    .describe("When the image is pulled (§2.2)."),
});
export type ImageSpec = z.output<typeof imageSpec>;

/** One statement about an object, in the form that `kubectl wait --for=condition=…` reads. */
export const condition = z.object({
  type: z.string().describe("Name of the condition."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  reason: z.string().describe("Stable word for the cause."),
  message: z.string().describe("The cause in a sentence, with what clears it."),
  lastTransitionTime: z.string().describe("When `status` last changed."),
  observedGeneration: z.int().optional().describe("Generation of the spec that the condition describes."),
});
export type Condition = z.output<typeof condition>;

/** A rule that objects to something, with what it saw and what clears it. */
export const finding = z.object({
  id: z.string().describe("Stable name of the rule."),
  severity: z
    .enum(["block", "wait", "consent", "warn", "unknown"])
    .describe(
      "`block` stops the upgrade until its cause is gone, `wait` delays its next step, `consent` needs an agreement of the user, " +
        "`warn` is a note, `unknown` could not be checked. The last three stop nothing.",
    ),
  evidence: z.string().describe("The values that the rule saw."),
  remedy: z.string().describe("The command or change that clears it."),
});
export type Finding = z.output<typeof finding>;
