/** Cells that a spreadsheet would treat as a formula. */
const formula = /^[\s\uFEFF]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** Writes one line of RFC 4180. Numbers are written as they are; texts are never run as formulas. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const harmless = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
