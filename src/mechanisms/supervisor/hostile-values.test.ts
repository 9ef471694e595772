import assert from "node:assert/strict";
import { test } from "node:test";
import { callInstance, superviseNode } from "../../../test/kit/engines/supervised-node.ts";

/**
 * Values as RESTORE takes them, with the right checksum and lengths that lie: an engine that takes one ends when it is digested or read, by its client
 * or by the comparison before a change of primary.
 */
const VALUES = {
  hash: "1019190000000600b2610201018162027374776f048163020301ff0a0062492c21cd968fc7",
  "sorted set": "1111110000000400816102f0018162020201ff0a0009d3deee9316b8ba",
  "another sorted set": "1111110000003f0081610201018162020201ff0a00306cffb4110d0751",
};

const FROM_HEX = "ARGV[1]:gsub('..', function(digits) return string.char(tonumber(digits, 16)) end)";
const RESTORE = `return redis.pcall('RESTORE', 'value', '0', (${FROM_HEX}), 'REPLACE')`;

for (const storeVersion of ["7.2", "8.0"] as const)
  test(`a value of a client that would end the engine is not taken (${storeVersion})`, async () => {
    await using node = await superviseNode();
    const wanted = node.primary({ storeVersion });
    await node.serve(wanted);
    for (const [name, value] of Object.entries(VALUES)) {
      await assert.rejects(callInstance(wanted, "EVAL", RESTORE, "0", value), /Bad data format/, name);
      assert.equal(await callInstance(wanted, "EXISTS", "value"), 0);
    }
  });
