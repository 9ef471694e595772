/** A row of a table, with the names of its columns; they are HTML. */
export function heads(...names: readonly string[]): string {
  return `<tr>${names.map((name) => `<th>${name}</th>`).join("")}</tr>`;
}

/** A row of a table, of any texts. */
export function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`;
}

/** A number as people read it. */
export function count(n: number): string {
  return n.toLocaleString("en-US");
}

/** Any text as HTML. */
export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
}
