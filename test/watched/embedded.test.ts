import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { testApi, type TestApi } from "../kit/api-server.ts";
import { bindKubectl, foundKubectls } from "../kubectl/kubectl.ts";
import type { Judge } from "../permissions/suite.ts";
import { rule } from "../specification/rule.ts";
import { watchedSuite } from "./suite.ts";

let api: TestApi;
let judge: Judge;
const home = mkdtempSync(join(tmpdir(), "watched-"));

before(async () => {
  api = await testApi();
  const [binary] = foundKubectls();
  if (binary === undefined) throw new Error("no kubectl on PATH");
  const kubeconfig = join(home, "kubeconfig");
  writeFileSync(kubeconfig, api.server.kubeconfigs.admin, { mode: 0o600 });
  judge = { kube: api.kube, config: api.config, kubectl: bindKubectl(binary, kubeconfig, home) };
});
after(async () => {
  await api[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

watchedSuite(
  () => judge,
  (when, body) => {
    rule("§4.3.7 roles are reapplied in each watched namespace", when, body);
  },
);
