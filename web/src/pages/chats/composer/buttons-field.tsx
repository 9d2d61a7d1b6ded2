import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import css from './composer.module.css';

export interface DraftButton {
  text: string;
  /** An address opens; anything else is the data of the press. */
  value: string;
}

/** The rows of buttons below the message being written; each row has one. */
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

/** Telegram's keyboard; undefined without buttons. */
export function keyboardOf(buttons: readonly DraftButton[]) {
  const rows = buttons
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, value }) => [
      /^(?:https?|tg):/i.test(value.trim())
        ? { text, url: value.trim() }
        : { text, callback_data: value.trim() || text.slice(0, 30) },
    ]);
  return rows.length === 0 ? undefined : { inline_keyboard: rows };
}
