import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { silentLog } from "#kit/base/log";
import { originOf } from "../../../core/merge/operations/origin.ts";
import { NOTHING, vectorOf } from "../../../core/merge/operations/version-vector.ts";
import { SiteLink, type SiteLinkOptions } from "./site-link.ts";

const THEIRS = originOf(2, 0);

/** Site 1, which has taken so many operations of site 2, and whether a greeting of that one with fewer is taken, refused once, or for good. */
function scene() {
  let held = 0;
  const local = {
    id: 1,
    origin: originOf(1, 0),
    isWhole: true,
    suffices: () => true,
    progress: { time: 0, lagMs: () => 0 },
    stated: () => NOTHING,
    get numbered() {
      return vectorOf([[THEIRS, held]]);
    },
    participants: {
      begins: () => {
        throw new Error("it is taken");
      },
    },
  };
  const link = new SiteLink({
    guid: "g",
    local,
    remote: () => ({ id: 2, name: "west" }),
    own: () => ({}),
    clock: new FakeClock(),
    log: silentLog,
    signal: new AbortController().signal,
    onOutnumbered: () => {},
    endAll: () => Promise.resolve(),
  } as unknown as SiteLinkOptions); // these are all that a greeting uses
  const said = { answers: 0, status: () => link.status() };
  const send = () => Promise.resolve(void (said.answers += 1));
  const connection = { send, destroy: () => {}, socket: { bytesRead: 0, bytesWritten: 0 } };
  const greets = (seq: number) => {
    const received = seq === 0 ? NOTHING : vectorOf([[THEIRS, seq]]);
    const greeting = { guid: "g", from: 2, to: 1, received, origin: THEIRS, formats: [1] };
    return link.accept({ connection, greeting } as unknown as Parameters<typeof link.accept>[0]);
  };
  const takes = (count: number): void => void (held = count);
  return { takes, greets, said };
}

test("a site whose greeting was under way while more of it came over another connection connects again", async () => {
  const { takes, greets } = scene();
  takes(5);
  await assert.rejects(greets(3), { code: "LINK_OUTNUMBERED" });
  takes(6);
  await assert.rejects(greets(7), /it is taken/);
});

test("a site that greets again without operations of its own that others have is refused, and stays so", async () => {
  const { takes, greets, said } = scene();
  takes(5);
  await assert.rejects(greets(3), { code: "LINK_OUTNUMBERED" });
  for (const seq of [4, 9, 9]) await assert.rejects(greets(seq), { code: "LINK_NOT_KEPT" });
  // an answer counts as a success there, and it would dial again at once
  assert.equal(said.answers, 2);
  const { state, cause } = said.status();
  assert.equal(state, "down");
  assert.match(
    cause,
    /^Site 2 \(west\) lacks operations of its own .* take it out of the database, and put it in again\.$/,
  );
});
