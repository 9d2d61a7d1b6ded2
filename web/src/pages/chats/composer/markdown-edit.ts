/* Changes to Markdown that the buttons above the text make. */

export const styleNames = ['bold', 'italic', 'link', 'code', 'quote'] as const;
export type StyleName = (typeof styleNames)[number];

export interface Selected {
  text: string;
  start: number;
  end: number;
}

const marks: Record<'bold' | 'italic' | 'code', string> = { bold: '**', italic: '_', code: '`' };

/** Formats what is selected, and selects what the person writes next. */
export function withStyle(selected: Selected, style: StyleName): Selected {
  const { end, start, text } = selected;
  const inner = text.slice(start, end);
  if (style === 'quote') return quoted(selected);
  if (style === 'link') {
    const [before, after] = [`[${inner}](`, ')'];
    const address = 'https://';
    const at = start + (inner === '' ? 1 : before.length);
    return {
      text: text.slice(0, start) + before + address + after + text.slice(end),
      start: at,
      end: inner === '' ? at : at + address.length,
    };
  }
  const isBlock = style === 'code' && inner.includes('\n');
  const [before, after] = isBlock ? ['```\n', '\n```'] : [marks[style], marks[style]];
  const isSet = text.slice(0, start).endsWith(before) && text.slice(end).startsWith(after);
  if (isSet) {
    return {
      text: text.slice(0, start - before.length) + inner + text.slice(end + after.length),
      start: start - before.length,
      end: end - before.length,
    };
  }
  return {
    text: text.slice(0, start) + before + inner + after + text.slice(end),
    start: start + before.length,
    end: end + before.length,
  };
}

/** Begins each selected line with `> `. */
function quoted({ end, start, text }: Selected): Selected {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lines = text.slice(from, end).replace(/^/gm, '> ');
  return {
    text: text.slice(0, from) + lines + text.slice(end),
    start: from + lines.length,
    end: from + lines.length,
  };
}
