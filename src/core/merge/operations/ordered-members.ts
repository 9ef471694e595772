/** The members of a sorted set in the order of its engine: by score, and by their bytes where that is the same. */
export class OrderedMembers {
  readonly #scores = new Map<string, number>();
  /** No part is empty. */
  readonly #parts: Scored[][] = [];

  get size(): number {
    return this.#scores.size;
  }

  /** Undefined of one that is not a member. */
  scoreOf(member: string): number | undefined {
    return this.#scores.get(member);
  }

  /** Adds a member, or gives it another score. */
  set(member: string, score: number): void {
    this.delete(member);
    this.#scores.set(member, score);
    const scored = { member, score };
    const [at, part] = this.#partFor(scored);
    part.splice(
      countWhile(part, (each) => compare(each, scored) < 0),
      0,
      scored,
    );
    if (part.length > MOST_OF_PART) this.#parts.splice(at + 1, 0, part.splice(MOST_OF_PART / 2));
  }

  /** Takes a member out, if it is one. */
  delete(member: string): void {
    const score = this.#scores.get(member);
    if (score === undefined) return;
    this.#scores.delete(member);
    const scored = { member, score };
    const [at, part] = this.#partFor(scored);
    part.splice(
      countWhile(part, (each) => compare(each, scored) < 0),
      1,
    );
    if (part.length === 0) this.#parts.splice(at, 1);
  }

  /** How many members at the beginning pass `isTrue`; no member behind the first that fails passes it. */
  countWhile(isTrue: (each: Scored) => boolean): number {
    let count = 0;
    for (const part of this.#parts) {
      const of = countWhile(part, isTrue);
      count += of;
      if (of < part.length) break;
    }
    return count;
  }

  /** Members from one place to another, both included; the first one is at 0. */
  between(first: number, last: number): readonly string[] {
    const found: string[] = [];
    let begin = 0;
    for (const part of this.#parts) {
      if (begin > last) break;
      const inPart = part.slice(Math.max(0, first - begin), Math.max(0, last - begin + 1));
      for (const { member } of inPart) found.push(member);
      begin += part.length;
    }
    return found;
  }

  #partFor(scored: Scored): readonly [number, Scored[]] {
    const before = countWhile(this.#parts, (part) => compare(part.at(-1) ?? scored, scored) < 0);
    const at = Math.min(before, Math.max(0, this.#parts.length - 1));
    return [at, (this.#parts[at] ??= [])];
  }
}

interface Scored {
  readonly member: string;
  readonly score: number;
}

const MOST_OF_PART = 512;

function compare(a: Scored, b: Scored): number {
  if (a.score !== b.score) return a.score - b.score;
  return a.member < b.member ? -1 : a.member === b.member ? 0 : 1;
}

function countWhile<T>(sorted: readonly T[], isTrue: (each: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const each = sorted[middle];
    if (each !== undefined && isTrue(each)) low = middle + 1;
    else high = middle;
  }
  return low;
}
