import { useEffect, useRef } from 'react';
import type { SavedReply } from '../../../api/saved-replies.ts';
import { useT } from '../../../i18n/use-t.tsx';
import css from './replies.module.css';

/** The replies that match what is typed, above the text. */
export function ReplyList(props: {
  id: string;
  replies: SavedReply[];
  at: number;
  /** True if no reply is saved yet. */
  isEmpty: boolean;
  choose: (reply: SavedReply) => void;
  onManage: () => void;
}) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [props.at]);
  return (
    <div className={css.list}>
      {props.replies.length === 0 ? (
        <p className={css.none} role="status">
          {props.isEmpty ? t.replies.none : t.replies.noMatch}
        </p>
      ) : (
        <div
          ref={box}
          id={props.id}
          role="listbox"
          aria-label={t.replies.title}
          className={css.box}
        >
          {props.replies.map((reply, index) => (
            <div
              key={reply.id}
              id={optionId(props.id, index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === props.at}
              className={css.option}
              // The text keeps the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                props.choose(reply);
              }}
            >
              <bdi className={css.name}>/{reply.name}</bdi>
              <bdi className={css.text}>{reply.text}</bdi>
            </div>
          ))}
        </div>
      )}
      <button type="button" className={css.manage} onClick={props.onManage}>
        {t.replies.manage}
      </button>
    </div>
  );
}

export const optionId = (listId: string, index: number) => `${listId}-${index}`;
