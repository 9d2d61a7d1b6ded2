/* Cuts a text into messages. Formatting that a cut divides ends there and begins again after it. */
import { entitiesOf, type FormattedText, type Run } from './styled-text.ts';

export interface Room {
  /** It counts UTF-16 units. */
  length: number;
  entities: number;
}

/** Telegram refuses more; an entity takes some bytes besides its address. */
const mostBytes = 8_000;
const bytesOfEntity = 16;

/** Telegram splits these at other marks. */
const splittable = new Set(['bold', 'italic', 'underline', 'strikethrough']);
/** Telegram adds entities for what looks like a link, a mention, a hashtag or a command. */
const detected = /[@#/]\w|\$[a-z]|:\/\/|\w\.[a-z]{2}/gi;
/** Telegram refuses a message of nothing else. */
const unseen = /^[\s\u00ad\u180e\u200b-\u200f\u202e\u2800\ufeff\ufffc\u{e0080}\u{e0081}]*$/u;

/** Yields the messages; whitespace at a cut is left out. */
export function* split(runs: readonly Run[], room: Room): Generator<FormattedText> {
  const text = runs.map((run) => run.text).join('');
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, runs, start, room);
    const part = trimmed(slice(runs, start, end));
    if (part.text !== '' && !unseen.test(part.text)) yield part;
    start = end;
  }
}

function endOf(text: string, runs: readonly Run[], start: number, room: Room): number {
  const limit = Math.min(start + room.length, entityLimit(runs, start, room));
  if (limit >= text.length) return text.length;
  const least = start + Math.floor((limit - start) / 2);
  for (const end of ['\n\n', '\n', ' ']) {
    const found = text.lastIndexOf(end, limit - end.length);
    if (found > least) return found + end.length;
  }
  return withoutHalves(text, limit, least);
}

/** Where the text has more entities than a message may have. */
function entityLimit(runs: readonly Run[], start: number, { length, entities }: Room): number {
  const counted = new Set<object>();
  let count = 0;
  let bytes = 0;
  let at = 0;
  for (const run of runs) {
    const end = at + run.text.length;
    if (at >= start + length) break;
    if (end > start) {
      const isVerbatim = run.marks.some(({ type }) => type === 'code' || type === 'pre');
      const shown = run.text.slice(Math.max(0, start - at), start + length - at);
      const found = isVerbatim ? 0 : (shown.match(detected)?.length ?? 0);
      count += found;
      for (const mark of run.marks) {
        const isSplit = splittable.has(mark.type);
        if (!isSplit && counted.has(mark)) continue;
        counted.add(mark);
        count += isSplit ? 1 + 2 * found : 1;
        bytes += bytesOfEntity + (mark.url ?? '').length;
      }
      if ((count > entities || bytes > mostBytes) && at > start) return at;
    }
    at = end;
  }
  return Number.POSITIVE_INFINITY;
}

/** Keeps the parts of a character together. */
function withoutHalves(text: string, limit: number, least: number): number {
  const joins = /^(?:[\udc00-\udfff]|\u200d|\ufe0f|\p{M}|\p{Emoji_Modifier})/u;
  let at = limit;
  while (at > least && (joins.test(text.slice(at, at + 2)) || text[at - 1] === '\u200d')) at--;
  return at === least ? limit : at;
}

function slice(runs: readonly Run[], start: number, end: number): Run[] {
  const found: Run[] = [];
  let at = 0;
  for (const { text, marks } of runs) {
    const shown = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    if (shown !== '') found.push({ text: shown, marks });
    at += text.length;
    if (at >= end) break;
  }
  return found;
}

/** Telegram would trim it as well; the indentation of code stays. */
function trimmed(runs: Run[]): FormattedText {
  const isCode = runs[0]?.marks.some(({ type }) => type === 'pre') ?? false;
  const whole = runs.map((run) => run.text).join('');
  const start = whole.length - whole.replace(isCode ? /^(?:[ ]*\n)+/ : /^\s+/, '').length;
  const inner = slice(runs, start, whole.trimEnd().length);
  return { text: inner.map((run) => run.text).join(''), entities: entitiesOf(inner) };
}
