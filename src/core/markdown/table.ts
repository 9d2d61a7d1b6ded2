import type { Token } from 'markdown-it';
import type { TableMeta } from './parser.ts';
import type { Mark, TextWriter } from './styled-text.ts';

/** Writes the words of cells. */
interface CellWriter {
  writer: TextWriter;
  inline(tokens: readonly Token[]): void;
  styled(mark: Mark, write: () => void): void;
}

/** Phones show about this many characters of code in a line. */
const widest = 40;

/** Writes a narrow table as aligned code; a wide one, or one with links, row by row. */
export function writeTable({ cells }: TableMeta, renderer: CellWriter): void {
  const plain = cells.map((row) => row.map(plainText));
  const columns = Math.max(...plain.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...plain.map((row) => widthOf(row[column] ?? ''))),
  );
  const width = widths.reduce((sum, one) => sum + one + 3, -3);
  const hasLinks = cells.flat(2).some(({ type }) => type === 'link_open' || type === 'image');
  if (width <= widest && !hasLinks) {
    const lines = plain.map((row) => line(row, widths));
    lines.splice(1, 0, widths.map((one) => '-'.repeat(one)).join('-+-'));
    renderer.styled({ type: 'pre' }, () => renderer.writer.write(lines.join('\n')));
  } else writeRows(cells, renderer);
}

function line(row: readonly string[], widths: readonly number[]): string {
  return widths
    .map((width, column) => {
      const cell = row[column] ?? '';
      return cell + ' '.repeat(width - widthOf(cell));
    })
    .join(' | ')
    .trimEnd();
}

/** Each row has a bold title, and a line for each other cell, with the names of the columns. */
function writeRows([first = [], ...others]: TableMeta['cells'], renderer: CellWriter): void {
  const { writer } = renderer;
  const [names, rows] = others.length > 0 ? [first.map(plainText), others] : [[], [first]];
  for (const row of rows) {
    for (let column = 0; column < Math.max(names.length, row.length); column++) {
      const cell = row[column] ?? [];
      const name = names[column] ?? '';
      if (name === '' && cell.length === 0) continue;
      writer.separate(column === 0 ? 2 : 1);
      const bullet = column === 0 ? '' : '• ';
      if (bullet + name !== '') writer.lead(name === '' ? bullet : `${bullet}${name}: `);
      if (cell.length === 0) writer.write('–');
      else if (column > 0) renderer.inline(cell);
      else renderer.styled({ type: 'bold' }, () => renderer.inline(cell));
    }
  }
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content }) => (type.endsWith('break') || content === '<br>' ? ' ' : content))
    .join('');
}

/** Characters that take two columns in code. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/gu;
const withoutWidth = /[\p{M}\p{Cf}]/gu;

function widthOf(text: string): number {
  const shown = text.replace(withoutWidth, '');
  return Array.from(shown).length + (shown.match(wide)?.length ?? 0);
}
