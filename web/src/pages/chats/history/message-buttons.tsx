import type { Message } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import css from '../message.module.css';

type Buttons = NonNullable<Message['buttons']>;

/**
 * The buttons as their recipient saw them. Only that person can press them; the tooltip shows what
 * they do.
 */
export function MessageButtons(props: { buttons: Buttons }) {
  const t = useT();
  return (
    <div className={css.buttons} role="group" aria-label={t.chats.buttons}>
      {props.buttons.map((row, at) => (
        <div key={at} className={css.buttonRow}>
          {row.map(({ text, type, value }, column) => (
            <span
              key={column}
              className={css.button}
              title={value === undefined ? type : `${type}: ${value}`}
            >
              <bdi>{text}</bdi>
              {opensAddress(type) ? (
                <span role="img" aria-label={t.chats.opensUrl}>
                  <Icon name="out" size={12} />
                </span>
              ) : null}
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}

function opensAddress(type: string): boolean {
  return type === 'url' || type === 'login_url' || type === 'web_app';
}
