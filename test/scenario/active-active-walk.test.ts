import assert from "node:assert/strict";
import { test } from "node:test";
import { foundKubectls } from "../api-servers/kubectls.ts";
import { openDesk, untypable } from "../kit/pages/desk.ts";
import { typistOf } from "../kit/pages/typist.ts";

const PAGE = "docs/active-active.md";

test(
  "the walk of docs/active-active.md, as it stands there, ends with what one site wrote at the other",
  { skip: untypable(foundKubectls()) },
  async () => {
    await using desk = await openDesk();
    const typist = typistOf("test/scenario/active-active-walk.test.ts", desk.shell);
    const output = (await typist.type(PAGE, "export PATH")).join("\n");
    assert.match(output, /\nbook\npen\n/);
    assert.deepEqual(output.match(/\/carts +active +Valid +\["carts"\] +up /g)?.length, 2, output);
    await typist.type(PAGE, "address=");
    await typist.type(PAGE, "trusted=");
    typist.assertComplete();
  },
);
