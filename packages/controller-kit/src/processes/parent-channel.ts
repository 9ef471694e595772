/** What a child process sends to its parent by. */
export interface ParentChannel {
  send?(message: object, handle: undefined, options: undefined, done: (error: Error | null) => void): unknown;
}

/** Sends a message to the parent. A parent that has ended gets none: this process ends with it, and must not fail because of that. */
export function sendToParent(channel: ParentChannel, message: object): void {
  channel.send?.(message, undefined, undefined, () => undefined);
}
