/* The inline keyboard under a message as its recipient saw it, and the button that was pressed. */
import { list, object, text, type Wire } from '../log/wire.ts';

export interface MessageButton {
  text: string;
  /** Telegram's name for what the button does; '' for an unknown one. */
  type: string;
  /** Its callback data, address or text to copy. */
  value?: string;
}

const types = [
  'callback_data',
  'url',
  'web_app',
  'login_url',
  'copy_text',
  'switch_inline_query',
  'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat',
  'callback_game',
  'pay',
];

/**
 * The text in `extra` that shows that a message has buttons. User text cannot contain it, because
 * its quotes are escaped.
 */
export const buttonsMark = '"inline_keyboard":';

export function storedButtons(extra: string | null): MessageButton[][] | undefined {
  if (!extra?.includes(buttonsMark)) return undefined;
  const rows = rowsOf((JSON.parse(extra) as Wire).inline_keyboard);
  return rows.length === 0 ? undefined : rows;
}

/** The label of the pressed button; undefined if the message does not identify it for certain. */
export function pressedText(query: Wire): string | undefined {
  const keyboard = object(object(query.message)?.reply_markup)?.inline_keyboard;
  const labels = new Set(
    rowsOf(keyboard)
      .flat()
      .filter(({ type, value }) =>
        query.data === undefined
          ? type === 'callback_game'
          : type === 'callback_data' && value === text(query.data),
      )
      .map((button) => button.text),
  );
  const [label] = labels;
  return labels.size === 1 && label ? label : undefined;
}

/** Reads the label from what is stored with a press. */
export function storedPressedText(extra: string | null): string | undefined {
  if (extra === null) return undefined;
  return text((JSON.parse(extra) as Wire).button_text) || undefined;
}

function rowsOf(keyboard: unknown): MessageButton[][] {
  return list(keyboard)
    .map((row) =>
      list(row)
        .map(object)
        .filter((button) => button !== undefined)
        .map(buttonOf),
    )
    .filter((row) => row.length > 0);
}

function buttonOf(button: Wire): MessageButton {
  const type = types.find((name) => button[name] !== undefined) ?? '';
  const about = object(button[type]);
  const value = text(about ? (about.url ?? about.text ?? about.query) : button[type]);
  return { text: text(button.text), type, ...(value === '' ? {} : { value }) };
}
