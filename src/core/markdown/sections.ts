/*
 * Cuts long Markdown into sections that are parsed one after the other, so that no text holds the
 * event loop for long. Few texts are longer than one section.
 */

export interface Section {
  text: string;
  /** True if the section begins inside the code block with which the one before ended. */
  isInsideCode: boolean;
}

const longest = 6_144;
const fence = /^ {0,3}(`{3,}|~{3,})/;

export function* sectionsOf(source: string): Generator<Section> {
  let section = '';
  /** The first line of the code block around the line. */
  let opening = '';
  let isInsideCode = false;
  for (const line of linesOf(source)) {
    const isBlank = line.trim() === '';
    const isFull = section.length + line.length > longest;
    if (section !== '' && (isFull || (isBlank && section.length > longest / 2))) {
      yield { text: section, isInsideCode };
      isInsideCode = opening !== '';
      section = opening;
    }
    section += line;
    const marks = fence.exec(line)?.[1];
    if (opening === '') opening = marks === undefined ? '' : line;
    else if (marks && closes(marks, line, opening)) opening = '';
  }
  if (section !== '') yield { text: section, isInsideCode };
}

/** The lines with their ends; a line that is longer than a section is cut. */
function* linesOf(source: string): Generator<string> {
  for (let start = 0; start < source.length; ) {
    const found = source.indexOf('\n', start);
    const end = found < 0 ? source.length : found + 1;
    const cut = Math.min(end, start + longest / 2);
    yield source.slice(start, cut);
    start = cut;
  }
}

function closes(marks: string, line: string, opening: string): boolean {
  const [, opened = ''] = fence.exec(opening) ?? [];
  return marks[0] === opened[0] && marks.length >= opened.length && line.trim() === marks;
}
