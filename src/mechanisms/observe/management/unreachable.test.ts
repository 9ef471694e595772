import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../../core/base/fault.ts";
import { faults } from "../../../ports/management/faults.ts";
import { whyUnreachable } from "./unreachable.ts";

const cases: readonly { readonly name: string; readonly tried: readonly string[]; readonly says: string }[] = [
  { name: "no node was asked", tried: [], says: "no node has an address yet" },
  {
    name: "every node refuses: said once, without addresses",
    tried: ["127.1.0.1: connect ECONNREFUSED 127.1.0.1:9443", "127.1.0.2: connect ECONNREFUSED 127.1.0.2:9443"],
    says: "no node answers on port 9443 (connection refused)",
  },
  {
    name: "different causes are all said, in an order that does not change",
    tried: ["127.1.0.1: The operation was aborted due to timeout", "127.1.0.2: connect ECONNREFUSED 127.1.0.2:9443"],
    says: "no node answers on port 9443 (connection refused, no answer in time)",
  },
  {
    name: "a cause without plain words keeps its own",
    tried: ["127.1.0.1: certificate has expired"],
    says: "no node answers on port 9443 (certificate has expired)",
  },
];

for (const { name, tried, says } of cases) {
  test(`whyUnreachable: ${name}`, () => {
    assert.equal(whyUnreachable(new Fault(faults.unreachable, "GET /v1/nodes reached no node", { tried })), says);
  });
}

test("whyUnreachable: an error other than a failure to reach a node keeps its own words", () => {
  assert.equal(whyUnreachable(new Error("secret rec has no password yet")), "secret rec has no password yet");
});
