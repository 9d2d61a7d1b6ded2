import { Fragment, type ReactNode } from 'react';
import { indented } from './json-text.ts';
import css from '../ui.module.css';

const piece = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;

/** Raw JSON, indented and coloured. */
export function JsonView(props: { value: unknown; label?: string }) {
  const { value } = props;
  const text = typeof value === 'string' ? indented(value) : JSON.stringify(value, null, 2);
  return (
    <pre className={css.json} tabIndex={0} aria-label={props.label ?? 'JSON'} role="region">
      {coloured(text ?? '')}
    </pre>
  );
}

function coloured(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(piece)) {
    parts.push(<Fragment key={end}>{text.slice(end, match.index)}</Fragment>);
    const kind = match[2] === undefined ? (match[1] ? css.jsonText : css.jsonOther) : css.jsonKey;
    parts.push(
      <span key={`${end}c`} className={kind}>
        {match[0].slice(0, match[0].length - (match[2]?.length ?? 0))}
      </span>,
      match[2] ?? '',
    );
    end = match.index + match[0].length;
  }
  parts.push(<Fragment key="end">{text.slice(end)}</Fragment>);
  return parts;
}
