import type { Message, MessageEntity } from '@grammyjs/types';
import { type Static, type TObject, Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { formatText } from '../text/format.ts';
import { storePhoto } from '../world/messages/files.ts';
import { canTravel, forwardDraft } from '../world/messages/forward.ts';
import {
  albumFamily,
  mediaKindFacts,
  type MediaDetails,
  type MediaKind,
  storeMedia,
} from '../world/messages/media.ts';
import { messageEdited } from '../world/messages/messages.ts';
import { paintPicture } from '../world/messages/picture.ts';
import type { MessageContent } from '../world/records.ts';
import { renderMessage } from '../world/messages/render.ts';
import { nextLongId, type World } from '../world/world.ts';
import { action } from './action.ts';
import {
  AnyText,
  atMessage,
  inChat,
  messageThreadId,
  Name,
  Plain,
  Ref as RefField,
  replyTo,
} from './fields.ts';
import { messageRef, type Ref, roomRef, userRef } from './refs.ts';
import { type Place, userPosts } from './talk.ts';

export interface SendMedia extends MediaDetails, Place {
  kind?: MediaKind;
  /** If omitted, a picture is painted (photos only). */
  bytes?: Buffer | undefined;
  name?: string | undefined;
  mimeType?: string;
  caption?: string | undefined;
  captionEntities?: MessageEntity[];
  mediaGroupId?: string | undefined;
}

const sample: Partial<Record<MediaKind, string>> = {
  document: 'A note from the sandbox.\n',
  audio: 'ID3 sandbox audio',
  voice: 'OggS sandbox voice',
  video: 'sandbox video',
};

function captionOf(world: World, media: SendMedia): MessageContent {
  const parsed = formatText(world.state, media.caption ?? '', '', media.captionEntities ?? []);
  return {
    ...(parsed.text && { caption: parsed.text }),
    ...(parsed.entities.length > 0 && { caption_entities: parsed.entities }),
    ...(media.mediaGroupId !== undefined && { media_group_id: media.mediaGroupId }),
  };
}

function uploadedContent(world: World, media: SendMedia): MessageContent {
  const kind = media.kind ?? 'photo';
  const bytes =
    media.bytes ??
    (kind === 'photo' || kind === 'sticker'
      ? paintPicture(640, 480, world.random.integer(0, 359))
      : Buffer.from(sample[kind] ?? 'sandbox file'));
  const name = media.name ?? (kind === 'document' ? 'note.txt' : undefined);
  const content = storeMedia(
    world,
    kind,
    {
      bytes,
      ...(name !== undefined && { name }),
      ...(media.mimeType !== undefined && { mimeType: media.mimeType }),
    },
    media,
  );
  if (!content) throw new ControlError('not_a_picture');
  return { ...content, ...captionOf(world, media) };
}

export function sendMedia(world: World, user: Ref, chat: Ref, media: SendMedia = {}): Message {
  const { kind = 'photo', replyTo, topicId } = media;
  const content = uploadedContent(world, media);
  const { permission } = mediaKindFacts[kind];
  return userPosts(world, user, chat, permission, content, { replyTo, topicId });
}

/** Sends one to ten files as one album; a single file is none. */
export function sendAlbum(
  world: World,
  user: Ref,
  chat: Ref,
  items: readonly SendMedia[],
  place: Place = {},
): Message[] {
  const families = new Set(items.map(({ kind = 'photo' }) => albumFamily(kind)));
  if (families.size > 1 || families.has(undefined)) throw new ControlError('album_mixed');
  const group = items.length > 1 ? { mediaGroupId: nextLongId(world) } : {};
  return items.map((item) => sendMedia(world, user, chat, { ...item, ...group, ...place }));
}

/** The author replaces the file of a message. */
export function replaceMedia(
  world: World,
  who: Ref,
  chat: Ref,
  messageId: number,
  media: SendMedia = {},
): Message {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  const record = messageRef(room, messageId);
  if (record.fromId !== user.id) throw new ControlError('not_the_author');
  const { media_group_id: group } = record.content;
  record.content = {
    ...uploadedContent(world, media),
    ...(group !== undefined && { media_group_id: group }),
  };
  messageEdited(world, room, record);
  return renderMessage(world.state, room, record, 'user');
}

/** Sends any other content that a user can send: a contact, a location, a dice, … */
export const sendContent = (
  world: World,
  user: Ref,
  chat: Ref,
  content: MessageContent,
  place: Place = {},
): Message => userPosts(world, user, chat, 'can_send_messages', content, place);

export function forwardByUser(
  world: World,
  who: Ref,
  from: Ref,
  messageId: number,
  to: Ref,
  topicId?: number,
): Message {
  const user = userRef(world, who);
  const source = roomRef(world, user, from);
  const record = messageRef(source, messageId);
  if (!canTravel(record)) throw new ControlError('not_forwardable');
  const { content, ...draft } = forwardDraft(world, source, record);
  const { replyTo: _reply, topicId: _topic, ...rest } = draft;
  return userPosts(world, user, to, 'can_send_messages', content, { ...rest, topicId });
}

export function setProfilePhoto(world: World, who: Ref, bytes?: Buffer): void {
  const user = userRef(world, who);
  const picture = bytes ?? paintPicture(320, 320, world.random.integer(0, 359));
  const key = storePhoto(world, { bytes: picture })?.at(-1)?.file_id;
  if (key === undefined) throw new ControlError('not_a_picture');
  user.photos.unshift(key);
  world.changed({ type: 'user_added', userId: user.id });
}

const file = {
  kind: Type.Optional(Name('photo, video, document and so on. Default: photo.', 32, 'photo')),
  data: Type.Optional(Name('The bytes, as base64.', 900_000)),
  name: Type.Optional(Name('File name.', 128)),
  caption: Type.Optional(AnyText('Caption.', 1_024)),
};

function readFile({ kind = 'photo', data, ...given }: Static<TObject<typeof file>>): SendMedia {
  if (!Object.hasOwn(mediaKindFacts, kind)) {
    throw new ControlError('kind_wrong', { kinds: Object.keys(mediaKindFacts) });
  }
  return {
    kind: kind as MediaKind,
    bytes: data === undefined ? undefined : Buffer.from(data, 'base64'),
    name: given.name,
    caption: given.caption,
  };
}

export const mediaActions = {
  'send-media': action({
    summary: 'Send media as a person',
    fields: {
      ...inChat,
      ...file,
      media_group_id: Type.Optional(
        Name('Album: the same for all of its messages, sent one by one.', 64, 'album-1'),
      ),
      message_thread_id: messageThreadId,
      reply_to: replyTo,
    },
    run: ({ world }, { user, chat, media_group_id, message_thread_id, reply_to, ...given }) =>
      sendMedia(world, user, chat, {
        ...readFile(given),
        mediaGroupId: media_group_id,
        topicId: message_thread_id,
        replyTo: reply_to,
      }),
  }),
  'send-album': action({
    summary: 'Send an album as a person',
    fields: {
      ...inChat,
      items: Type.Array(Type.Object(file, { additionalProperties: false }), {
        minItems: 1,
        maxItems: 10,
        description: 'Photos and videos, or only audio files, or only documents.',
        examples: [[{ caption: 'Front' }, { caption: 'Back' }]],
      }),
      message_thread_id: messageThreadId,
      reply_to: replyTo,
    },
    run: ({ world }, { user, chat, items, message_thread_id, reply_to }) =>
      sendAlbum(world, user, chat, items.map(readFile), {
        topicId: message_thread_id,
        replyTo: reply_to,
      }),
  }),
  'send-content': action({
    summary: 'Send a location, contact, venue or dice',
    description: 'Set exactly one of them, in the format of the Bot API.',
    fields: {
      ...inChat,
      location: Type.Optional(
        Plain('A location: latitude and longitude.', { latitude: 59.3, longitude: 18.1 }),
      ),
      contact: Type.Optional(Plain('A contact: phone_number and first_name.')),
      venue: Type.Optional(Plain('A venue: location, title and address.')),
      dice: Type.Optional(Plain('A dice: emoji and value.')),
      message_thread_id: messageThreadId,
    },
    rules: {
      if: { required: ['location'] },
      then: {},
      else: {
        if: { required: ['contact'] },
        then: {},
        else: { if: { required: ['venue'] }, then: {}, else: { required: ['dice'] } },
      },
    },
    run: ({ world }, { user, chat, message_thread_id, ...content }) => {
      if (Object.keys(content).length === 0) throw new ControlError('content_needed');
      const place = { topicId: message_thread_id };
      return sendContent(world, user, chat, content as MessageContent, place);
    },
  }),
  forward: action({
    summary: 'Forward a message',
    fields: {
      ...atMessage,
      from_chat: RefField('The chat it is in.', 'practice_bot'),
      message_thread_id: messageThreadId,
    },
    run: ({ world }, { user, chat, message_id, from_chat, message_thread_id }) =>
      forwardByUser(world, user, from_chat, message_id, chat, message_thread_id),
  }),
};
