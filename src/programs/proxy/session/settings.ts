import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import { LIMITS } from "../limits/limits.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { integerIn } from "../protocol/integers.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { replies } from "../protocol/replies.ts";
import { DEFAULT_SETTINGS, settingsKey } from "../upstream/connection-settings.ts";
import type { ConnectionSettings } from "../upstream/connection-settings.ts";
import type { ReplyMode } from "./reply-mode.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import { anyRoute } from "../upstream/only-route.ts";

/** The parts of a session that a change of its settings uses. */
export interface SettingsSession {
  readonly endpoint: Pick<SessionEndpoint, "routes" | "credentials" | "logins">;
  readonly identity: ClientIdentity;
  readonly shared: { leaveLane(): void };
  readonly pinned: Pick<PinnedRoute, "shard" | "takeAt" | "release" | "listeners">;
  readonly replyMode: Pick<ReplyMode, "reset">;
  readonly turns: Pick<SessionParts["turns"], "answer">;
}

/** SELECT: false when it cannot be taken yet. */
export function handleSelect(session: SettingsSession, request: Buffer, command: CommandEntry): boolean {
  const { pinned } = session;
  if (pinned.shard !== undefined) return pinned.takeAt(pinned.shard, request, command);
  const number = integerIn(requestArguments(request)[1]?.toString("latin1") ?? "");
  if (number === undefined) return session.turns.answer(replies.noInteger);
  if (BigInt.asIntN(32, number) !== number) return session.turns.answer(replies.noSmallInteger);
  const database = Number(number);
  if (database < 0 || database >= MANY_DATABASES) return session.turns.answer(replies.badDatabase);
  return changeSettings(session, { ...session.identity.settings, database }, () => replies.ok);
}

/** RESET: the client is as after connecting. */
export function handleReset(session: SettingsSession): boolean {
  const { identity, endpoint } = session;
  session.pinned.release();
  identity.user = undefined;
  identity.name = Buffer.alloc(0);
  identity.settings = DEFAULT_SETTINGS;
  if (identity.ofCluster !== undefined) identity.ofCluster.readsReplicas = false;
  identity.authenticated = !endpoint.credentials.required;
  session.shared.leaveLane();
  session.replyMode.reset();
  return session.turns.answer(replies.reset);
}

/** Goes to the lane of other settings, and answers with what `answer` makes of the greeting of that lane. */
export function changeSettings(
  session: SettingsSession,
  settings: ConnectionSettings,
  answer: (greeting: Buffer) => Buffer,
): boolean {
  const primary = anyRoute(session.endpoint);
  const served = primary.upstream?.lanes.served ?? [];
  const known = served.some((other) => settingsKey(other) === settingsKey(settings));
  if (!known && served.length >= LIMITS.settings) return session.turns.answer(replies.tooManyDatabases);
  const choice = primary.upstream?.lanes.choose(settings);
  if (choice === undefined) return primary.unavailable && session.turns.answer(primary.refusal);
  if ("refused" in choice) return session.turns.answer(choice.refused);
  session.identity.settings = settings;
  session.shared.leaveLane();
  return session.turns.answer(answer(choice.hello));
}

/** No engine has so many; below it, the engine knows how many it has. */
const MANY_DATABASES = 1_000_000;
