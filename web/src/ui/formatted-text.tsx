import type { ReactNode } from 'react';
import css from './formatted-text.module.css';

export interface Entity {
  type: string;
  /** In UTF-16 units. */
  offset: number;
  length: number;
  url?: string | undefined;
  language?: string | undefined;
}

/** A text with the formatting of Telegram. */
export function FormattedText(props: { text: string; entities: readonly Entity[] | undefined }) {
  const { entities = [], text } = props;
  if (entities.length === 0) return text;
  const outerFirst = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return <>{nodes(text, outerFirst, 0, text.length)}</>;
}

const blocks = new Set(['pre', 'blockquote', 'expandable_blockquote']);

/** Entities are nested or apart; one that leaves its surroundings is cut there. */
function nodes(text: string, entities: readonly Entity[], start: number, end: number): ReactNode[] {
  const shown: ReactNode[] = [];
  let at = start;
  let next = 0;
  while (next < entities.length) {
    const entity = entities[next] as Entity;
    const from = Math.max(entity.offset, at);
    const to = Math.min(entity.offset + entity.length, end);
    const first = ++next;
    while (next < entities.length && (entities[next] as Entity).offset < to) next++;
    if (from >= to) continue;
    shown.push(text.slice(at, from));
    const inner = nodes(text, entities.slice(first, next), from, to);
    shown.push(
      <Marked key={from} entity={entity}>
        {inner}
      </Marked>,
    );
    // A block ends its line itself.
    at = blocks.has(entity.type) && to < end && text[to] === '\n' ? to + 1 : to;
  }
  shown.push(text.slice(at, end));
  return shown;
}

function Marked({ children, entity }: { children: ReactNode; entity: Entity }) {
  const { language, type, url = '' } = entity;
  switch (type) {
    case 'bold':
      return <strong>{children}</strong>;
    case 'italic':
      return <em>{children}</em>;
    case 'underline':
      return <u>{children}</u>;
    case 'strikethrough':
      return <s>{children}</s>;
    case 'spoiler':
      return <span className={css.spoiler}>{children}</span>;
    case 'code':
      return <code className={css.code}>{children}</code>;
    case 'pre':
      return (
        <code className={css.block} data-language={language}>
          {children}
        </code>
      );
    case 'blockquote':
    case 'expandable_blockquote':
      return <span className={css.quote}>{children}</span>;
    case 'text_link':
      return /^https?:/.test(url) ? (
        <a href={url} title={url} target="_blank" rel="noreferrer">
          {children}
        </a>
      ) : (
        children
      );
    default:
      return children;
  }
}
