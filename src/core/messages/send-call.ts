/* Turns a message of the platform into the call that would send the same content. */
import { integer, object, text, type Wire } from '../log/wire.ts';

/** A file of the source bot, which is uploaded when the message is sent. */
export interface FileRef {
  $file: { file_id: string; name: string; kind: string; size: number };
}

export interface ComposedCall {
  method: string;
  params: Record<string, unknown>;
}

/** The method and fields of each kind of media, and whether it has a caption. */
export const sendableMedia: Record<
  string,
  { method: string; caption: boolean; fields?: string[] }
> = {
  animation: { method: 'sendAnimation', caption: true },
  photo: { method: 'sendPhoto', caption: true },
  video: { method: 'sendVideo', caption: true, fields: ['duration', 'width', 'height'] },
  audio: { method: 'sendAudio', caption: true, fields: ['duration', 'performer', 'title'] },
  document: { method: 'sendDocument', caption: true },
  voice: { method: 'sendVoice', caption: true, fields: ['duration'] },
  video_note: { method: 'sendVideoNote', caption: false, fields: ['duration', 'length'] },
  sticker: { method: 'sendSticker', caption: false },
};

export interface SendCall extends ComposedCall {
  textField?: 'text' | 'caption';
}

export function callFor(message: Wire): SendCall | undefined {
  if (typeof message.text === 'string') {
    return {
      method: 'sendMessage',
      params: { text: text(message.text), entities: message.entities ?? [] },
      textField: 'text',
    };
  }
  for (const [kind, { method, caption, fields = [] }] of Object.entries(sendableMedia)) {
    const source = message[kind];
    if (source === undefined) continue;
    const file = fileRef(source, kind);
    if (!file) return undefined;
    const details = object(source) ?? {};
    const params: Record<string, unknown> = { [kind]: file };
    for (const name of fields) if (details[name] !== undefined) params[name] = details[name];
    if (message.has_media_spoiler === true) params.has_spoiler = true;
    if (!caption) return { method, params };
    params.caption = text(message.caption);
    params.caption_entities = message.caption_entities ?? [];
    return { method, params, textField: 'caption' };
  }
  return otherContent(message);
}

function otherContent(message: Wire): SendCall | undefined {
  const venue = object(message.venue);
  if (venue) {
    const { latitude, longitude } = object(venue.location) ?? {};
    const { title, address } = venue;
    return { method: 'sendVenue', params: { latitude, longitude, title, address } };
  }
  const location = object(message.location);
  if (location) {
    const { latitude, longitude } = location;
    return { method: 'sendLocation', params: { latitude, longitude } };
  }
  const contact = object(message.contact);
  if (contact) {
    const { phone_number, first_name, last_name, vcard } = contact;
    return { method: 'sendContact', params: { phone_number, first_name, last_name, vcard } };
  }
  const poll = object(message.poll);
  if (poll) {
    const options = Array.isArray(poll.options) ? poll.options : [];
    return {
      method: 'sendPoll',
      params: {
        question: poll.question,
        options: options.map((option) => ({ text: text(object(option)?.text) })),
        is_anonymous: poll.is_anonymous,
        allows_multiple_answers: poll.allows_multiple_answers,
      },
    };
  }
  const dice = object(message.dice);
  if (dice) {
    // Sending a new die would show another number, so its value is sent as text.
    const shown = `${text(dice.emoji)} ${integer(dice.value) ?? ''}`.trim();
    return { method: 'sendMessage', params: { text: shown, entities: [] }, textField: 'text' };
  }
  return undefined;
}

export function fileRef(source: unknown, kind: string): FileRef | undefined {
  const sizes = Array.isArray(source) ? source : [source];
  const largest = sizes
    .map(object)
    .reduce<Wire | undefined>(
      (best, size) => (size && area(size) >= area(best) ? size : best),
      undefined,
    );
  const fileId = text(largest?.file_id);
  if (fileId === '') return undefined;
  return {
    $file: {
      file_id: fileId,
      name: text(largest?.file_name) || `${kind}${extension(kind, largest)}`,
      kind,
      size: integer(largest?.file_size) ?? 0,
    },
  };
}

function extension(kind: string, file: Wire | undefined): string {
  if (kind === 'photo') return '.jpg';
  if (kind === 'voice') return '.ogg';
  if (kind === 'sticker') {
    if (file?.is_animated === true) return '.tgs';
    return file?.is_video === true ? '.webm' : '.webp';
  }
  if (kind === 'document') return '';
  return kind === 'audio' ? '.mp3' : '.mp4';
}

function area(size: Wire | undefined): number {
  return size ? (integer(size.width) ?? 0) * (integer(size.height) ?? 0) : -1;
}
