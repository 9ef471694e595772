/** Where each event leads from each state. An event without a row changes nothing in that state. */
export type Transitions<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/** The state that events have led to, by a table of transitions. */
export class StateMachine<State extends string, Event extends string> {
  readonly #transitions: Transitions<State, Event>;
  #state: State;

  constructor(transitions: Transitions<State, Event>, first: State) {
    this.#transitions = transitions;
    this.#state = first;
  }

  get state(): State {
    return this.#state;
  }

  /** Goes where the event leads; false when the table has no row for it, and then nothing has changed. */
  apply(event: Event): boolean {
    const next = this.#transitions[this.#state][event];
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }
}
