import type { Message, MessageAuthor } from '../../../api/client/types.ts';
import type { Messages } from '../../../i18n/messages.ts';
import { isolated } from '../../../i18n/isolate.ts';
import { speakerName } from './history-items.ts';

type Worded = Pick<
  Message,
  'text' | 'media_type' | 'content' | 'button_text' | 'first_name' | 'last_name' | 'username'
>;

/** The person, or what sent the message; the name of an API key alone would say too little. */
export function authorWords({ kind, name, person }: MessageAuthor, t: Messages): string {
  if (person?.name) return person.name;
  return kind === 'user' ? name : t.chats.authorKinds[kind];
}

/** Describes an event in a chat as a sentence with all names: somebody joined, or left. */
export function eventWords(message: Worded, t: Messages): string | undefined {
  const { content } = message;
  if (!content) return undefined;
  const by = speakerName(message) || t.chats.unknownPerson;
  const names = content.names?.map(isolated).join(', ') ?? '';
  const isOwn = names === '' || names === isolated(by);
  const { contents } = t.chats;
  switch (content.type) {
    case 'new_chat_members':
      return isOwn ? contents.joined(by) : contents.added(by, names);
    case 'left_chat_member':
      return isOwn ? contents.left(by) : contents.removed(by, names);
    default: {
      const say = contents[content.type as keyof typeof contents] as
        | ((by: string, text: string) => string)
        | undefined;
      return say?.(by, content.text ?? names);
    }
  }
}

/** Names the pressed button by its label, or by its data if the label is not known. */
export function pressWords(
  message: Pick<Message, 'text' | 'button_text'>,
  t: Messages,
  /** The message with the button. */
  origin?: Message,
): string {
  const { button_text, text } = message;
  const alike = (origin?.buttons ?? [])
    .flat()
    .filter((button) => button.type === 'callback_data' && button.value === text);
  const label = button_text ?? (alike.length === 1 ? alike[0]?.text : undefined);
  return label ? t.chats.pressed(label) : t.chats.pressedData(text);
}

/** Shortens a message to one line: its text, or what it is. */
export function shortOf(message: Worded, t: Messages): string {
  const { content, media_type, text } = message;
  if (content) {
    const thing = t.chats.things[content.type as keyof typeof t.chats.things];
    const about = content.text ?? content.names?.map(isolated).join(', ');
    const named = thing && about ? t.common.labelled(thing, about) : thing;
    return eventWords(message, t) ?? named ?? t.chats.noWords;
  }
  if (media_type === 'callback' && text !== '') return pressWords(message, t);
  const name = media_type
    ? (t.chats.kinds[media_type as keyof typeof t.chats.kinds] ?? media_type)
    : '';
  return text || name || t.chats.noWords;
}
