import assert from "node:assert/strict";
import { PATCH } from "./objects.ts";
import type { Rule, RuleContext, RuleSet } from "./rule-set.ts";

/** What may change about claims, and about the claims of a StatefulSet. */
export const volumes: RuleSet = { title: "volumes", rules: [claimRules, statefulSetRules] };

function claimRules(rule: Rule): void {
  rule("a bound claim grows when its storage class allows it", async (context) => {
    const path = await boundClaim(context, "grows", { allowVolumeExpansion: true });
    const grown = await request(context, path, "2Gi");
    assert.deepEqual([grown.code, grown.body.spec.resources.requests], [200, { storage: "2Gi" }]);
  });

  rule(
    "a bound claim does not grow when its storage class does not allow it, also not in a dry run",
    async (context) => {
      const path = await boundClaim(context, "stays", {});
      for (const query of ["", "?dryRun=All"]) {
        const refused = await request(context, `${path}${query}`, "2Gi");
        assert.deepEqual([refused.code, refused.body.reason], [403, "Forbidden"]);
        assert.match(refused.body.message, /the storageclass that provisions the pvc must support resize/);
      }
    },
  );

  rule("a claim that is not bound does not grow", async (context) => {
    const path = await claim(context, "unbound", { allowVolumeExpansion: true });
    const refused = await request(context, path, "2Gi");
    assert.ok([403, 422].includes(refused.code), `${refused.code}`);
  });

  rule("no claim shrinks below what its volume has, and its class stays", async (context) => {
    const path = await boundClaim(context, "shrinks", { allowVolumeExpansion: true });
    const smaller = await request(context, path, "512Mi");
    assert.deepEqual([smaller.code, smaller.body.reason], [422, "Invalid"]);
    assert.match(smaller.body.message, /field can not be less than/);
    const other = await context.send("PATCH", path, {
      type: PATCH.merge,
      body: { spec: { storageClassName: "other" } },
    });
    assert.match(other.body.message, /spec is immutable after creation/);
  });
}

function statefulSetRules(rule: Rule): void {
  rule("the claim templates of a StatefulSet never change", async ({ at, send }) => {
    const template = (storage: string): object => ({
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
    });
    const labels = { app: "fixed" };
    const spec = {
      serviceName: "fixed",
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "a:1" }] } },
      volumeClaimTemplates: [template("1Gi")],
    };
    const made = await send("POST", at("apps/v1/statefulsets"), { body: { metadata: { name: "fixed" }, spec } });
    assert.equal(made.code, 201);
    const body = { spec: { volumeClaimTemplates: [template("2Gi")] } };
    const refused = await send("PATCH", at("apps/v1/statefulsets", "fixed"), { type: PATCH.merge, body });
    assert.equal(refused.code, 422);
    assert.match(refused.body.message, /updates to statefulset spec for fields other than/);
  });
}

/** A claim of 1Gi of a class of its own; gives its path. */
async function claim(context: RuleContext, name: string, classOptions: object): Promise<string> {
  const { at, send, cleanUp, namespace } = context;
  const storageClassName = `${namespace}-${name}`;
  const classes = "/apis/storage.k8s.io/v1/storageclasses";
  const storageClass = { metadata: { name: storageClassName }, provisioner: "example.com/none", ...classOptions };
  assert.equal((await send("POST", classes, { body: storageClass })).code, 201);
  cleanUp(async () => void (await send("DELETE", `${classes}/${storageClassName}`)));
  const spec = {
    accessModes: ["ReadWriteOnce"],
    storageClassName,
    resources: { requests: { storage: "1Gi" } },
  };
  assert.equal((await send("POST", at("persistentvolumeclaims"), { body: { metadata: { name }, spec } })).code, 201);
  return at("persistentvolumeclaims", name);
}

/** The same with a volume, and it says that it is bound: binding is the work of controllers, which not every server has. */
async function boundClaim(context: RuleContext, name: string, classOptions: object): Promise<string> {
  const path = await claim(context, name, classOptions);
  const { send, namespace, cleanUp } = context;
  const { body: made } = await send("GET", path);
  const volumes = "/api/v1/persistentvolumes";
  const volumeName = `${namespace}-${name}`;
  const volume = {
    metadata: { name: volumeName },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: made.spec.storageClassName,
      claimRef: { namespace, name, uid: made.metadata.uid },
      hostPath: { path: "/none" },
    },
  };
  assert.equal((await send("POST", volumes, { body: volume })).code, 201);
  cleanUp(async () => void (await send("DELETE", `${volumes}/${volumeName}`)));
  const named = await send("PATCH", path, { type: PATCH.merge, body: { spec: { volumeName } } });
  assert.equal(named.code, 200);
  const status = { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };
  const bound = await send("PATCH", `${path}/status`, { type: PATCH.merge, body: { status } });
  assert.deepEqual([bound.code, bound.body.status.phase], [200, "Bound"]);
  return path;
}

function request({ send }: RuleContext, path: string, storage: string) {
  return send("PATCH", path, { type: PATCH.merge, body: { spec: { resources: { requests: { storage } } } } });
}
