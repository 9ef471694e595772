import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { connect as dialTls } from "node:tls";
import { testApi, type TestApi } from "#kubernetes/testing/api-server";
import { defineKinds, openNamespace } from "../../test/kit/kubernetes/permission-scene.ts";
import { startOperatorProcess, type OperatorProcess } from "../../test/kit/operator/operator-process.ts";
import { until } from "#kit/testing/until";
import { OPERATOR_NAME, PORTS } from "../core/api/names.ts";
import { operatorRules } from "../core/releases/permissions/roles.ts";
import { Leases, RoleBindings, Roles, ServiceAccounts } from "#kit/kube/builtin";

const PATIENCE = { withinMs: 30_000, everyMs: 50 };
/** An operator that may do nothing ends long before Kubernetes kills it, 30 s after SIGTERM; in milliseconds, for a machine that is busy. */
const DEADLINE_MS = 10_000;

interface Case {
  readonly when: string;
  readonly namespace: string;
  /** Brings about what the name of the case says. */
  readonly arrange: (api: TestApi, namespace: string, operator: OperatorProcess) => Promise<void>;
}

const cases: readonly Case[] = [
  { when: "its Role and RoleBinding are gone", namespace: "no-role", arrange: removeRole },
  {
    when: "its Lease is gone",
    namespace: "no-lease",
    arrange: ({ kube }, namespace) => kube.delete(Leases, { name: OPERATOR_NAME, namespace }),
  },
  {
    when: "its Role and its Lease are gone",
    namespace: "no-role-no-lease",
    arrange: async (api, namespace, operator) => {
      await removeRole(api, namespace, operator);
      await api.kube.delete(Leases, { name: OPERATOR_NAME, namespace });
    },
  },
  {
    when: "its service account is gone, so that every request is unauthorized",
    namespace: "no-account",
    arrange: async ({ kube }, namespace, operator) => {
      await kube.delete(ServiceAccounts, { name: OPERATOR_NAME, namespace });
      await until("a request is unauthorized", () => operator.log().includes("KUBE_UNAUTHORIZED"), PATIENCE);
    },
  },
  {
    when: "its Role is gone and the API server holds an unused connection to its webhook",
    namespace: "unused-connection",
    arrange: async (api, namespace, operator) => {
      const socket = dialTls({ host: operator.address, port: PORTS.admission, rejectUnauthorized: false });
      socket.on("error", () => undefined); // the operator may reset it
      await once(socket, "secureConnect");
      await removeRole(api, namespace, operator);
    },
  },
];

test("an operator without permissions ends in time on SIGTERM", { timeout: 120_000 }, async (t) => {
  await using api = await testApi();
  await defineKinds(api);
  for (const { when, namespace, arrange } of cases) {
    await t.test(when, async () => {
      await using account = closing(
        await openNamespace(api, namespace, { [OPERATOR_NAME]: operatorRules("kubernetes") }),
      );
      await using operator = await startOperatorProcess(api, namespace);
      await until("it is ready", async () => (await operator.readiness())?.startsWith("200") === true, PATIENCE);
      await until("it leads", async () => (await operator.metrics()).includes("store_operator_leading 1"), PATIENCE);
      await arrange(api, namespace, operator);
      await endsInTime(operator);
      void account;
    });
  }
  await t.test("the operator never had a Role", async () => {
    await using account = closing(await openNamespace(api, "never-allowed", { [OPERATOR_NAME]: [] }));
    await using operator = await startOperatorProcess(api, "never-allowed");
    await until("it says so", async () => /^503 .*may not/.test((await operator.readiness()) ?? ""), PATIENCE);
    await endsInTime(operator);
    void account;
  });
});

async function removeRole({ kube }: TestApi, namespace: string, operator: OperatorProcess): Promise<void> {
  await kube.delete(RoleBindings, { name: OPERATOR_NAME, namespace });
  await kube.delete(Roles, { name: OPERATOR_NAME, namespace });
  await until("a request is forbidden", () => operator.log().includes("KUBE_FORBIDDEN"), PATIENCE);
}

async function endsInTime(operator: OperatorProcess): Promise<void> {
  const { code, tookMs } = await operator.terminate();
  assert.equal(code, 0, operator.log());
  assert.ok(tookMs < DEADLINE_MS, `it took ${Math.round(tookMs)} ms; log: ${operator.log().slice(-4_000)}`);
}

function closing(kube: { close(): Promise<void> }): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => kube.close() };
}
