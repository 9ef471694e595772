import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../../test/kit/specification/proves.ts";
import { wait } from "../findings/finding.ts";
import { participantFinding, participantFindings, type ParticipantAnswer } from "./participants.ts";

const answering = (operator: string | undefined, ...nodeTags: readonly string[]): ParticipantAnswer => ({
  answers: true,
  operator,
  nodeTags,
});

const operators: readonly (readonly [operator: string | undefined, nodes: string, finding: string | undefined])[] = [
  ["8.2.0-12", "8.2.0-25.12", undefined],
  ["8.0.2-2", "8.0.2-17", undefined],
  ["7.22.2-21", "7.22.2-14", "OperatorTooOld"],
  ["8.0.2-1", "8.0.2-17", "OperatorTooOld"],
  ["8.2.0-12", "7.22.2-14", undefined],
  [undefined, "7.22.2-14", "OperatorTooOld"],
  [undefined, "8.2.0-25.12", "OperatorUnknown"],
];
for (const [operator, nodes, id] of operators) {
  const says = id === undefined ? "fits" : id;
  test(`a participant with operator ${operator ?? "that has said nothing"} and nodes ${nodes}: ${says}`, () => {
    const found = participantFinding({ name: "west", knowsSlices: true, word: answering(operator, nodes) })?.id;
    proves(
      "§9 Active-Active: operator 8.0.2-2 or later on every participant",
      "a table of operators around 8.0.2-2: the finding of each, or none",
    ).equal(found, id);
  });
}

test("a participant that has its database of before, when it was taken out, is named with what to delete there", () => {
  const found = participantFinding({
    name: "west",
    knowsSlices: true,
    word: answering("8.2.0-12", "8.2.0-25.12"),
    formerly: "carts",
  });
  assert.deepEqual([found?.id, found?.severity], ["NotParticipating", "wait"]);
  assert.equal(found?.remedy, 'in the namespace of the cluster of "west": kubectl delete reaadb carts');
});

test("participants: each that blocks is named, with its state and its remedy", () => {
  const silent = { answers: false, finding: wait("CredentialsRefused", "it says no", "do this") } as const;
  const found = participantFindings([
    { name: "east", knowsSlices: true, word: answering("8.2.0-12", "8.2.0-25.12") },
    { name: "west", knowsSlices: true, word: silent },
    { name: "north", knowsSlices: true, word: answering("7.22.2-21", "7.22.2-14") },
  ]);
  assert.deepEqual(
    found.map(({ id, severity }) => [id, severity]),
    [
      ["CredentialsRefused", "wait"],
      ["OperatorTooOld", "wait"],
    ],
  );
  assert.match(found[0]?.evidence ?? "", /"west" cannot be asked: it says no/);
  assert.match(found[1]?.evidence ?? "", /"north": its operator is 7\.22\.2-21; every participant needs 8\.0\.2-2/);
});
