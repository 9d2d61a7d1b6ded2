/* The formatting of a message that is edited. */
import type { Message } from '../../../api/client/types.ts';

export type Entity = NonNullable<Message['entities']>[number];

interface Formatted {
  text: string;
  entities?: readonly Entity[] | undefined;
}

/** Returns the entities of a text after a change of one part of it. */
export function keptEntities({ entities = [], text }: Formatted, changed: string): Entity[] {
  const shorter = Math.min(text.length, changed.length);
  let start = 0;
  while (start < shorter && text[start] === changed[start]) start++;
  let same = 0;
  while (same < shorter - start && text.at(-1 - same) === changed.at(-1 - same)) same++;
  const end = text.length - same;
  const by = changed.length - text.length;
  return entities.flatMap((entity) => {
    const { length, offset } = entity;
    const last = offset + length;
    if (last <= start) return [entity];
    if (offset >= end) return [{ ...entity, offset: offset + by }];
    // What is written within it, or in its place, belongs to it.
    if (offset <= start && last >= end)
      return length + by > 0 ? [{ ...entity, length: length + by }] : [];
    if (offset < start) return [{ ...entity, length: start - offset }];
    return last > end ? [{ ...entity, offset: end + by, length: last - end }] : [];
  });
}

const marks: Record<string, [before: string, after: string]> = {
  bold: ['**', '**'],
  italic: ['_', '_'],
  strikethrough: ['~~', '~~'],
  underline: ['<u>', '</u>'],
  code: ['`', '`'],
};

/** Writes a formatted text as Markdown, without what Markdown does not have, such as spoilers. */
export function markdownOf({ entities = [], text }: Formatted): string {
  let markdown = '';
  for (let start = 0; start < text.length; ) {
    const block = entities.find(({ type, offset }) => type === 'pre' && offset === start);
    const lineEnd = text.indexOf('\n', start);
    const end = block
      ? start + block.length
      : Math.min(lineEnd < 0 ? text.length : lineEnd, nextBlock(entities, start, text.length));
    const isQuoted = entities.some(
      ({ length, offset, type }) =>
        type.endsWith('blockquote') && offset <= start && start < offset + length,
    );
    const line = block
      ? `\`\`\`${block.language ?? ''}\n${text.slice(start, end)}\n\`\`\``
      : markedLine(text, entities, start, end);
    markdown += isQuoted ? line.replace(/^/gm, '> ') : line;
    if (text[end] === '\n') markdown += '\n';
    start = text[end] === '\n' ? end + 1 : end;
  }
  return markdown;
}

const nextBlock = (entities: readonly Entity[], after: number, end: number): number =>
  Math.min(
    end,
    ...entities.flatMap(({ offset, type }) => (type === 'pre' && offset > after ? [offset] : [])),
  );

/** Marks do not reach over lines, nor begin or end with a space. */
function markedLine(text: string, entities: readonly Entity[], from: number, to: number): string {
  const before: string[][] = [];
  const after: string[][] = [];
  for (const entity of entities) {
    const mark: readonly string[] | undefined =
      entity.type === 'text_link' ? ['[', `](${entity.url ?? ''})`] : marks[entity.type];
    let start = Math.max(from, entity.offset);
    let end = Math.min(to, entity.offset + entity.length);
    while (start < end && /\s/.test(text[start] ?? '')) start++;
    while (start < end && /\s/.test(text[end - 1] ?? '')) end--;
    const [open, close] = mark ?? [];
    if (open === undefined || close === undefined || start >= end) continue;
    (before[start] ??= []).push(open);
    (after[end] ??= []).unshift(close);
  }
  const isCode = (at: number) =>
    entities.some(
      ({ length, offset, type }) => type === 'code' && offset <= at && at < offset + length,
    );
  let line = '';
  for (let at = from; at <= to; at++) {
    line += (after[at] ?? []).join('') + (before[at] ?? []).join('');
    const letter = at < to ? (text[at] ?? '') : '';
    line += isCode(at) ? letter : letter.replace(/[\\`*_[\]<~|]/, '\\$&');
  }
  return line.replace(/^(\s*)([-+#>]|\d+(?=[.)]))/, (_, space: string, mark: string) =>
    /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
  );
}
