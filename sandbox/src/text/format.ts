import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { findPerson } from '../world/people.ts';
import type { WorldState } from '../world/records.ts';
import { findEntities, overlaps } from './find-entities.ts';
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

/** Surrounding white space is dropped; entities move and shrink with it. */
function trim({ text, entities }: Parsed): Parsed {
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const kept: MessageEntity[] = [];
  for (const entity of entities) {
    if (!Number.isInteger(entity.offset) || !Number.isInteger(entity.length)) continue;
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
    parsed = mode ? parse(source, mode) : { text: source, entities: given };
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
  if (found.length === 0) return { text, entities: own };
  const all: MessageEntity[] = [...own, ...found];
  return { text, entities: all.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

/** A mention by id works only for people the sandbox knows. */
function nameMention(state: WorldState, entity: MessageEntity): boolean {
  if (entity.type !== 'text_mention') return true;
  const person = findPerson(state, entity.user.id);
  if (person) entity.user = person;
  return person !== undefined;
}
