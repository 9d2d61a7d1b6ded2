/* The formatting of a stored message. */
import { integer, list, object, text, type Wire } from '../log/wire.ts';

export interface ShownEntity {
  type: string;
  /** Both count UTF-16 units. */
  offset: number;
  length: number;
  url?: string;
  language?: string;
}

/** What the writer of a text chose. Telegram finds links, mentions and commands by itself. */
const formatting = new Set([
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'code',
  'pre',
  'blockquote',
  'expandable_blockquote',
  'text_link',
]);

/** Like `buttonsMark`, the text in `extra` that shows that a message has entities. */
export const entitiesMark = '"entities":';

export function storedEntities(extra: string | null): ShownEntity[] | undefined {
  if (!extra?.includes(entitiesMark)) return undefined;
  const entities = list((JSON.parse(extra) as Wire).entities)
    .map(object)
    .filter((entity) => entity !== undefined)
    .filter(({ type }) => formatting.has(text(type)))
    .map(shownEntity);
  return entities.length === 0 ? undefined : entities;
}

function shownEntity(entity: Wire): ShownEntity {
  const { url, language } = entity;
  return {
    type: text(entity.type),
    offset: integer(entity.offset) ?? 0,
    length: integer(entity.length) ?? 0,
    ...(url === undefined ? {} : { url: text(url) }),
    ...(language === undefined ? {} : { language: text(language) }),
  };
}
