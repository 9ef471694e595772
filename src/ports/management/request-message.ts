/** A command that an agent sends to a child process over its channel, and the number that its reply carries. */
interface RequestMessage {
  readonly id: number;
  readonly command: { readonly op: string };
}

/** Whether the message has the form of a command; agent and child are of one release, so its content is not checked. */
export function isRequestMessage<T extends RequestMessage>(message: unknown): message is T {
  return (
    typeof message === "object" &&
    message !== null &&
    "id" in message &&
    typeof message.id === "number" &&
    "command" in message &&
    typeof message.command === "object" &&
    message.command !== null &&
    "op" in message.command
  );
}
