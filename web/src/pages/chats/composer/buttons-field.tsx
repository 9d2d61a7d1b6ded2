import { ActionIcon, Button, TextInput } from '@mantine/core';
import type { Message } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import css from './composer.module.css';

export interface DraftButton {
  text: string;
  /** The row that it shares with others, in a message that is edited. */
  row?: number;
  /** An address opens; anything else is the data of the press. */
  value: string;
}

/** The buttons below the message being written; each new one has a row. */
export function ButtonsField(props: {
  buttons: readonly DraftButton[];
  onChange: (buttons: DraftButton[]) => void;
}) {
  const { buttons, onChange } = props;
  const t = useT();
  const set = (at: number, change: Partial<DraftButton>) =>
    onChange(buttons.map((button, index) => (index === at ? { ...button, ...change } : button)));
  return (
    <div className={css.fields} role="group" aria-label={t.chats.buttons}>
      {buttons.map((button, at) => (
        <div key={at} className={css.fieldRow}>
          <TextInput
            aria-label={t.chats.buttonLabel}
            placeholder={t.chats.buttonLabel}
            maxLength={64}
            value={button.text}
            onChange={(event) => set(at, { text: event.currentTarget.value })}
          />
          <TextInput
            aria-label={t.chats.buttonValue}
            placeholder={t.chats.buttonValue}
            maxLength={2_048}
            value={button.value}
            onChange={(event) => set(at, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t.common.remove}
            onClick={() => onChange(buttons.filter((_, index) => index !== at))}
          >
            <Icon name="cross" size={16} />
          </ActionIcon>
        </div>
      ))}
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => onChange([...buttons, { text: '', value: '' }])}
      >
        {t.chats.addButton}
      </Button>
    </div>
  );
}

/** The buttons of a message, if all of them are of the kinds that can be edited here. */
export function draftButtons(message: Message | undefined): DraftButton[] {
  const rows = message?.buttons ?? [];
  const isKnown = rows.flat().every(({ type }) => type === 'url' || type === 'callback_data');
  if (!isKnown) return [];
  return rows.flatMap((buttons, row) =>
    buttons.map(({ text, value = '' }) => ({ text, value, row })),
  );
}

/** Telegram's keyboard; undefined without buttons. */
export function keyboardOf(buttons: readonly DraftButton[]) {
  const rows: { text: string; url?: string; callback_data?: string }[][] = [];
  let before: number | undefined;
  for (const { row, text, value } of buttons) {
    if (text.trim() === '') continue;
    const said = value.trim();
    const button = /^(?:https?|tg):/i.test(said)
      ? { text, url: said }
      : { text, callback_data: said || text.slice(0, 30) };
    if (row !== undefined && row === before) rows.at(-1)?.push(button);
    else rows.push([button]);
    before = row;
  }
  return rows.length === 0 ? undefined : { inline_keyboard: rows };
}
