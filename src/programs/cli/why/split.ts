/** What a message of a condition tells, and the remedy or the command that it ends in; empty when it names none. */
export function splitMessage(message: string): { readonly evidence: string; readonly clears: string } {
  const mark = "; remedy: ";
  const remedy = message.indexOf(mark);
  if (remedy >= 0) return { evidence: message.slice(0, remedy), clears: message.slice(remedy + mark.length) };
  const command = message.search(/\b(kubectl|storectl) \w/);
  if (command < 0) return { evidence: message, clears: "" };
  return { evidence: message.slice(0, command).replace(/[\s:;,]+$/, ""), clears: message.slice(command) };
}
