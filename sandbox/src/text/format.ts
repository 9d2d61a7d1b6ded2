import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { findPerson } from '../world/people.ts';
import type { WorldState } from '../world/records.ts';
import { findEntities, overlaps } from './find-entities.ts';
import { checkRanges, fixEntities } from './fix-entities.ts';
import { type Parsed, ParseFailure } from './parse-failure.ts';
import { parseHtml } from './parse-html.ts';
import { parseMarkdownV2 } from './parse-markdown-v2.ts';
import { parseMarkdown } from './parse-markdown.ts';

function parse(source: string, mode: string): Parsed {
  switch (mode.toLowerCase()) {
    case '':
    case 'none':
      return { text: source, entities: [] };
    case 'html':
      return parseHtml(source);
    case 'markdown':
      return parseMarkdown(source);
    case 'markdownv2':
      return parseMarkdownV2(source);
    default:
      throw badRequest('unsupported parse_mode');
  }
}

/** A text of these characters alone counts as empty. */
const unseen = /^[\s\u180e\u200b-\u200f\u202e\u2800\ufeff\ufffc\u{e0080}\u{e0081}]*$/u;

/** Surrounding white space is dropped, but not where the first entity has begun. */
function trim({ text, entities }: Parsed): Parsed {
  if (unseen.test(text)) return { text: '', entities: [] };
  const first = Math.min(text.length, ...entities.slice(0, 1).map(({ offset }) => offset));
  const start = Math.min(first, text.length - text.trimStart().length);
  const trimmed = text.slice(start).trimEnd();
  const kept: MessageEntity[] = [];
  for (const entity of entities) {
    const from = Math.max(0, entity.offset - start);
    const to = Math.min(trimmed.length, entity.offset + entity.length - start);
    if (to > from) kept.push({ ...entity, offset: from, length: to - from });
  }
  return { text: trimmed, entities: kept };
}

/** The limit in bytes, including markup; the caller checks the length after parsing. */
const longestSource = 32_768;

const automaticBlockers = new Set<MessageEntity['type']>([
  'code',
  'pre',
  'text_link',
  'text_mention',
]);

/** Makes text as it is stored: parsed, trimmed, with the entities that Telegram adds automatically. */
export function formatText(
  state: WorldState,
  source: string,
  mode: string,
  given: MessageEntity[] = [],
): Parsed {
  // A UTF-16 unit takes at most three bytes.
  if (source.length * 3 > longestSource && Buffer.byteLength(source) > longestSource) {
    throw badRequest('text is too long');
  }
  let parsed: Parsed;
  try {
    parsed = mode ? parse(source, mode) : { text: source, entities: checkRanges(source, given) };
  } catch (error) {
    if (error instanceof ParseFailure) throw badRequest(`can't parse entities: ${error.message}`);
    throw error;
  }
  const { text, entities } = trim(parsed);
  const own = entities.filter((entity) => nameMention(state, entity));
  const blockers = own.filter((entity) => automaticBlockers.has(entity.type));
  const found = findEntities(text).filter(
    (entity) =>
      !blockers.some((other) => overlaps(other, entity)) &&
      !own.some((other) => other.type === entity.type && overlaps(other, entity)),
  );
  return { text, entities: fixEntities([...own, ...found]) };
}

/** A mention by id works only for people the sandbox knows. */
function nameMention(state: WorldState, entity: MessageEntity): boolean {
  if (entity.type !== 'text_mention') return true;
  const person = findPerson(state, entity.user.id);
  if (person) entity.user = person;
  return person !== undefined;
}
