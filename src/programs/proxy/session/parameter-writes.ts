import { definedOtherwise, effectiveParameters, valueIn } from "../../../core/api/settings/client-parameters.ts";
import type { AskedParameters } from "../../../core/api/settings/client-parameters.ts";
import { isOfEndpoints, parametersText } from "../../../core/api/settings/engine-parameters.ts";
import { editObject } from "../../../core/api/kubectl.ts";
import type { Clock } from "#kit/base/clock";
import type { FaultSpec } from "#kit/base/fault";
import type { ParametersOutcome } from "../../../ports/management/parameters-question.ts";
import type { EndpointParameters } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import { errorReply, replies } from "../protocol/replies.ts";

/** What setting parameters takes. */
export interface ParameterWritesContext {
  readonly clock: Clock;
  /** As the record of the database has them now, as far as this node knows. */
  readonly recorded: () => EndpointParameters;
  /** What CONFIG GET shows now, each in the form of engines; undefined while there is no primary that answers. */
  readonly shown: (names: readonly string[]) => Promise<ReadonlyMap<string, string> | undefined>;
  /** Has the agent keep them in the record; undefined when it does not answer in time. */
  readonly keep: (parameters: string, clients: readonly string[]) => Promise<ParametersOutcome | undefined>;
}

interface WaitingClient {
  readonly asked: AskedParameters;
  readonly address: string;
  readonly resolve: (reply: Buffer) => void;
}

/**
 * CONFIG SET of the clients of one endpoint: a client is answered when the record has what it asked for, and CONFIG GET shows it.
 * While one request is under way, what others ask for is collected for the next.
 */
export class ParameterWrites {
  readonly #context: ParameterWritesContext;
  #waiting: WaitingClient[] = [];
  #isBusy = false;

  constructor(context: ParameterWritesContext) {
    this.#context = context;
  }

  /** The reply to a client; does not reject. */
  set(asked: AskedParameters, address: string): Promise<Buffer> {
    const refusal = this.#refusal(asked);
    if (refusal !== undefined) return Promise.resolve(refusal);
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    this.#waiting.push({ asked, address, resolve });
    if (!this.#isBusy) void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      const asked = new Map(batch.flatMap((client) => [...client.asked]));
      const addresses = batch.slice(0, MOST_NAMED).map(({ address }) => address);
      const failure = (await this.#isThere(asked)) ? undefined : await this.#keep(asked, addresses);
      for (const client of batch) client.resolve(failure ?? this.#refusal(client.asked) ?? replies.ok);
    }
    this.#isBusy = false;
  }

  /** True when the record has the parameters and the engine shows them. What endpoints apply says nothing of other nodes. */
  async #isThere(asked: AskedParameters): Promise<boolean> {
    const text = effectiveParameters(this.#context.recorded());
    const isRecorded = [...asked].every(([name, value]) => !isOfEndpoints(name) && valueIn(text, name) === value);
    return isRecorded && (await this.#isShown(asked));
  }

  /** The error reply when it fails. */
  async #keep(asked: AskedParameters, addresses: readonly string[]): Promise<Buffer | undefined> {
    const what = [...asked.keys()].join(", ");
    const outcome = await this.#context.keep(parametersText(Object.fromEntries(asked)), addresses);
    if (outcome === undefined) return faultReply(`whether ${what} is set is not known`, faults.parametersNotAnswered);
    if ("refused" in outcome)
      return faultReply(`CONFIG SET of ${what} failed: ${outcome.refused.message}`, outcome.refused);
    const { clock } = this.#context;
    const deadline = clock.uptimeMs() + APPLIED_MS;
    for (;;) {
      // before the look, which shows what is applied when the time is over
      const isLate = clock.uptimeMs() >= deadline;
      if (await this.#isApplied(asked, outcome.revision)) return undefined;
      if (isLate) return faultReply(`${what} is kept and not applied yet`, faults.parametersNotApplied);
      await clock.sleep(POLL_MS);
    }
  }

  /** Another client may have set something else since. */
  async #isApplied(asked: AskedParameters, revision: number): Promise<boolean> {
    const recorded = this.#context.recorded();
    if (recorded.revision < revision) return false;
    const text = effectiveParameters(recorded);
    return this.#isShown(new Map([...asked.keys()].map((name) => [name, valueIn(text, name)])));
  }

  async #isShown(values: AskedParameters): Promise<boolean> {
    const shown = await this.#context.shown([...values.keys()]);
    return shown !== undefined && [...values].every(([name, value]) => shown.get(name) === value);
  }

  #refusal(asked: AskedParameters): Buffer | undefined {
    const { byDefinition, database } = this.#context.recorded();
    const name = definedOtherwise(asked, byDefinition);
    if (name === undefined) return undefined;
    const { code } = faults.parameterDefined;
    const value = valueIn(byDefinition, name);
    return faultReply(`the definition of the database says that ${name} is "${value}"`, {
      code,
      remedy: `Change it there: ${editObject(`redb ${database}`)}.`,
    });
  }
}

function faultReply(what: string, { code, remedy }: Pick<FaultSpec, "code" | "remedy">): Buffer {
  return errorReply(`ERR store: ${code}: ${what}. ${remedy}`);
}

/** So many addresses of clients go into the log. */
const MOST_NAMED = 10;
/** The node of the primary has the record a moment after the leader has written it. */
const APPLIED_MS = 3_000;
const POLL_MS = 5;
