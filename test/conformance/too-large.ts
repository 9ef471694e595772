import { configMap, pod } from "./objects.ts";
import type { RuleContext } from "./rule-set.ts";

/** A request that cannot be carried out, and the Status that says so. */
export interface Refusal {
  readonly what: string;
  readonly method: string;
  path(context: RuleContext): string;
  readonly body?: unknown;
  readonly type?: string;
  readonly code: number;
  /** Undefined where Kubernetes names none. */
  readonly reason: string | undefined;
  readonly message: RegExp;
}

const MEBIBYTE = 1_048_576;
const maps = ({ at }: RuleContext): string => at("configmaps");

/** Objects that are too large for the API server, or for what stores them. */
export const tooLarge: readonly Refusal[] = [
  {
    what: "a ConfigMap of more than 1 MiB",
    method: "POST",
    path: maps,
    body: configMap("large", {}, { data: { a: "x".repeat(MEBIBYTE), b: "y" } }),
    code: 422,
    reason: "Invalid",
    message: /^ConfigMap "large" is invalid: \[\]: Too long: may not be more than 1048576 bytes$/,
  },
  {
    what: "a Secret of more than 1 MiB",
    method: "POST",
    path: ({ at }) => at("secrets"),
    body: { ...configMap("large"), kind: "Secret", stringData: { a: "x".repeat(MEBIBYTE + 1) } },
    code: 422,
    reason: "Invalid",
    message: /^Secret "large" is invalid: data: Too long: may not be more than 1048576 bytes$/,
  },
  {
    what: "an object that etcd does not take",
    method: "POST",
    path: ({ at }) => at("pods"),
    body: pod("large", { containers: [{ name: "a", image: "a", args: ["x".repeat(1.6 * MEBIBYTE)] }] }),
    code: 500,
    reason: undefined,
    message: /^etcdserver: request is too large$/,
  },
  {
    what: "a body of more than 3 MiB",
    method: "POST",
    path: maps,
    body: configMap("large", {}, { data: { a: "x".repeat(3 * 1024 * 1024) } }),
    code: 413,
    reason: "RequestEntityTooLarge",
    message: /limit is 3145728/,
  },
];
