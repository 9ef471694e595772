import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { BusyPeriod } from "../upstream/busy-period.ts";
import type { PendingRequest } from "./pending-request.ts";
import { RoleCheck, type AnsweringEngine } from "./role-check.ts";

/** There is no primary. */
const NO_ENGINE = [{ upstream: undefined, doubtful: false }] as const;

const BUSY = "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";
const READONLY = "-READONLY You can't write against a read only replica.\r\n";

const cases: readonly {
  readonly rule: string;
  readonly request: readonly string[];
  readonly answer: string;
  /** What the engine says of its role when it is asked. */
  readonly refuses: boolean;
  /** Others got BUSY, and their replies arrive while the engine is asked. */
  readonly othersMet?: boolean;
  readonly want: "sent again" | "the client's answer";
}[] = [
  {
    rule: "BUSY to a plain command is the engine's",
    request: ["GET", "k"],
    answer: BUSY,
    refuses: false,
    want: "sent again",
  },
  {
    rule: "BUSY to a script, and the engine still runs another one",
    request: ["EVAL", "return 7", "0"],
    answer: BUSY,
    refuses: true,
    want: "sent again",
  },
  {
    rule: "BUSY to a script, and the other one has ended, but others met it too",
    request: ["EVAL", "return 7", "0"],
    answer: BUSY,
    refuses: false,
    othersMet: true,
    want: "sent again",
  },
  {
    rule: "BUSY to a script that only the script itself can have made",
    request: ["EVAL", "return 7", "0"],
    answer: BUSY,
    refuses: false,
    want: "the client's answer",
  },
  {
    rule: "READONLY to a script from an engine that leads",
    request: ["EVAL", "return 7", "0"],
    answer: READONLY,
    refuses: false,
    othersMet: true,
    want: "the client's answer",
  },
  {
    rule: "READONLY to a script from an engine that was demoted",
    request: ["EVAL", "return 7", "0"],
    answer: READONLY,
    refuses: true,
    want: "sent again",
  },
];

for (const { rule, request, answer, refuses, othersMet = false, want } of cases)
  test(`whose answer it is: ${rule}`, async () => {
    const clock = new FakeClock();
    const busy = new BusyPeriod(() => 5_000);
    const engine: AnsweringEngine = {
      busy,
      leads: () => Promise.resolve(true),
      refuses: () => {
        if (othersMet) busy.spares(clock.uptimeMs(), true);
        return Promise.resolve(refuses);
      },
    };
    const parts = {
      endpoint: { clock, routes: NO_ENGINE },
      life: { cut: assert.fail },
    };
    const refused = await new Promise<boolean>((resolve) => {
      const check = new RoleCheck(() => undefined);
      check.settle(pendingOf(request, clock.uptimeMs()), Buffer.from(answer), engine, parts, resolve);
    });
    assert.equal(refused ? "sent again" : "the client's answer", want);
  });

test("a transaction that an engine without a role has not executed ends no connection", async () => {
  const clock = new FakeClock();
  const engine: AnsweringEngine = {
    busy: new BusyPeriod(() => 5_000),
    leads: () => Promise.resolve(false),
    refuses: () => Promise.resolve(true),
  };
  const pending: PendingRequest = { ...pendingOf(["EXEC"], clock.uptimeMs()), kind: "exec" };
  const settled = (answer: string): Promise<string> =>
    new Promise((resolve) => {
      const cut = (): void => void resolve("cut");
      const parts = { endpoint: { clock, routes: NO_ENGINE }, life: { cut } };
      new RoleCheck(() => undefined).settle(pending, Buffer.from(answer), engine, parts, () => void resolve("decided"));
    });
  assert.equal(await settled("-EXECABORT Transaction discarded because of previous errors.\r\n"), "decided");
  assert.equal(await settled("*1\r\n+written\r\n"), "cut");
});

function pendingOf(request: readonly string[], since: number): PendingRequest {
  return { kind: "command", request: encodeCommand(request), count: 1, replies: 0, since };
}
