import type { Dice } from "../../world/chaos.ts";
import type { Answered } from "./story.ts";

/** What a kind of client does in one story. */
export type Kind = (asker: Asker) => Promise<void>;

/** How a story asks. Each key begins with `name`. */
export interface Asker {
  readonly name: string;
  readonly dice: Dice;
  /** The next request; rejects, and so ends the story, when it is not answered or refused. */
  ask(...command: readonly string[]): Promise<Answered>;
  /** A story ends when this is true. Its time runs from the first time on that it is asked. */
  isOver(): boolean;
}
