import type { Messages } from '../../i18n/en.ts';

/** A message in one line: its words, or what it is. */
export function shortOf(
  message: { text: string; media_type?: string | undefined },
  t: Messages,
): string {
  const kind = message.media_type as keyof typeof t.chats.kinds | undefined;
  const name = kind ? (t.chats.kinds[kind] ?? kind) : '';
  if (message.text === '') return name;
  return kind === 'callback' ? `${name}: ${message.text}` : message.text;
}
