import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';

/* Refuses the entities of a text that Telegram refuses, and orders the others as it does. */

type Type = MessageEntity['type'];

/** These may overlap anything but code, and are split where they do. */
const styles: readonly Type[] = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'];
const quotes = new Set<Type>(['blockquote', 'expandable_blockquote']);
const verbatim = new Set<Type>(['pre', 'code', 'date_time']);

const largest = 1_000_000;
/** Telegram ignores the others. */
const mostEntities = 100;
/** An approximation of the limit in bytes. */
const mostBytes = 9_500;

const endOf = ({ offset, length }: MessageEntity): number => offset + length;

/** Throws as Telegram does if entities do not fit the text; returns those that mark anything. */
export function checkRanges(text: string, entities: readonly MessageEntity[]): MessageEntity[] {
  for (const { offset, length } of entities) {
    const wrong = (name: string, value: number) =>
      badRequest(`receive an entity with incorrect ${name} ${value}`);
    if (offset < 0 || offset > largest) throw wrong('offset', offset);
    if (length < 0 || length > largest) throw wrong('length', length);
  }
  const marking = sorted(entities.filter(({ length }) => length > 0));
  for (const entity of marking) {
    const { offset } = entity;
    const end = endOf(entity);
    if (offset > text.length) {
      throw badRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`);
    }
    if (isInsideSymbol(text, offset)) {
      throw badRequest(
        `entity begins in a middle of a UTF-16 symbol at byte offset ${bytesUntil(text, offset)}`,
      );
    }
    const about = `entity beginning at UTF-16 offset ${offset} ends`;
    if (end > text.length) {
      throw badRequest(`${about} after the end of the text at UTF-16 offset ${end}`);
    }
    if (isInsideSymbol(text, end)) {
      throw badRequest(
        `${about} in a middle of a UTF-16 symbol at byte offset ${bytesUntil(text, end)}`,
      );
    }
  }
  return marking;
}

const isInsideSymbol = (text: string, at: number): boolean =>
  /[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1));

const bytesUntil = (text: string, at: number): number => Buffer.byteLength(text.slice(0, at + 1));

/** Removes what may not overlap, and splits styles where other entities begin or end. */
export function fixEntities(entities: readonly MessageEntity[]): MessageEntity[] {
  const all = sorted(entities);
  const around = withoutOverlaps(all.filter(({ type }) => quotes.has(type)));
  const single = all.filter(({ type }) => !styles.includes(type) && !quotes.has(type));
  const frame = sorted([...withoutCrossing(withoutOverlaps(single), around), ...around]);
  const marked = styles.flatMap((type) => merged(all.filter((entity) => entity.type === type)));
  const cuts = new Set(frame.flatMap((entity) => [entity.offset, endOf(entity)]));
  for (const { offset } of marked) cuts.add(offset);
  const code = frame.filter(({ type }) => verbatim.has(type));
  const split = marked.flatMap((entity) =>
    pieces(
      entity,
      [...cuts].sort((a, b) => a - b),
    ),
  );
  const isInCode = indexed(code);
  const fixed = sorted([...frame, ...split.filter(({ offset }) => !isInCode(offset))]);
  const kept = fixed.slice(0, mostEntities);
  if (bytesOf(kept) > mostBytes) throw badRequest('ENTITIES_TOO_LONG');
  return kept;
}

function sorted(entities: readonly MessageEntity[]): MessageEntity[] {
  return [...entities].sort(
    (a, b) => a.offset - b.offset || b.length - a.length || rank(a.type) - rank(b.type),
  );
}

/** The outer one of two entities with the same text. */
function rank(type: Type): number {
  if (quotes.has(type)) return 0;
  if (verbatim.has(type)) return 1;
  const style = styles.indexOf(type);
  return style < 0 ? 2 : 3 + style;
}

function withoutOverlaps(entities: readonly MessageEntity[]): MessageEntity[] {
  let end = 0;
  return entities.filter((entity) => {
    if (entity.offset < end) return false;
    end = endOf(entity);
    return true;
  });
}

/** Keeps what is inside a quote, or outside of all. */
function withoutCrossing(
  entities: readonly MessageEntity[],
  around: readonly MessageEntity[],
): MessageEntity[] {
  let next = 0;
  return entities.filter((entity) => {
    while (next < around.length && endOf(around[next] as MessageEntity) <= entity.offset) next++;
    const quote = around[next];
    if (!quote || quote.offset >= endOf(entity)) return true;
    return quote.offset <= entity.offset && endOf(entity) <= endOf(quote);
  });
}

/** Joins entities of one style that overlap or touch. */
function merged(entities: readonly MessageEntity[]): MessageEntity[] {
  const joined: MessageEntity[] = [];
  for (const entity of entities) {
    const last = joined.at(-1);
    if (last && entity.offset <= endOf(last)) {
      last.length = Math.max(endOf(last), endOf(entity)) - last.offset;
    } else joined.push({ ...entity });
  }
  return joined;
}

function pieces(entity: MessageEntity, cuts: readonly number[]): MessageEntity[] {
  const inner = cuts.filter((cut) => cut > entity.offset && cut < endOf(entity));
  const starts = [entity.offset, ...inner];
  return starts.map((offset, index) => ({
    ...entity,
    offset,
    length: (starts[index + 1] ?? endOf(entity)) - offset,
  }));
}

/** Says whether a place is in one of these entities, which are in order and apart. */
function indexed(entities: readonly MessageEntity[]): (at: number) => boolean {
  const covered = new Set<number>();
  for (const entity of entities) {
    for (let at = entity.offset; at < endOf(entity); at++) covered.add(at);
  }
  return (at) => covered.has(at);
}

function bytesOf(entities: readonly MessageEntity[]): number {
  return entities.reduce((sum, entity) => {
    const more = 'url' in entity ? entity.url : 'language' in entity ? (entity.language ?? '') : '';
    return sum + 12 + Buffer.byteLength(more);
  }, 0);
}
