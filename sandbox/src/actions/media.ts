import type { Message, MessageEntity } from '@grammyjs/types';
import { ControlError } from '../api-error.ts';
import { formatText } from '../text/format.ts';
import { storePhoto } from '../world/messages/files.ts';
import { canTravel, forwardDraft } from '../world/messages/forward.ts';
import {
  mediaKindFacts,
  type MediaDetails,
  type MediaKind,
  storeMedia,
} from '../world/messages/media.ts';
import { messageEdited } from '../world/messages/messages.ts';
import { paintPicture } from '../world/messages/picture.ts';
import type { MessageContent } from '../world/records.ts';
import { renderMessage } from '../world/messages/render.ts';
import type { World } from '../world/world.ts';
import { messageRef, type Ref, roomRef, userRef } from './refs.ts';
import { userPosts } from './talk.ts';

export interface SendMedia extends MediaDetails {
  kind?: MediaKind;
  /** A painted picture when absent (photos only). */
  bytes?: Buffer;
  name?: string;
  mimeType?: string;
  caption?: string;
  captionEntities?: MessageEntity[];
  replyTo?: number;
  mediaGroupId?: string;
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
  const kind = media.kind ?? 'photo';
  return userPosts(
    world,
    user,
    chat,
    mediaKindFacts[kind].permission,
    uploadedContent(world, media),
    media.replyTo === undefined ? {} : { replyTo: media.replyTo },
  );
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

/** Anything else a user can put into a chat: a contact, a location, a dice, … */
export const sendContent = (world: World, user: Ref, chat: Ref, content: MessageContent): Message =>
  userPosts(world, user, chat, 'can_send_messages', content);

export function forwardByUser(
  world: World,
  who: Ref,
  from: Ref,
  messageId: number,
  to: Ref,
): Message {
  const user = userRef(world, who);
  const source = roomRef(world, user, from);
  const record = messageRef(source, messageId);
  if (!canTravel(record)) throw new ControlError('not_forwardable');
  const { content, ...draft } = forwardDraft(world, source, record);
  return userPosts(world, user, to, 'can_send_messages', content, draft);
}

export function setProfilePhoto(world: World, who: Ref, bytes?: Buffer): void {
  const user = userRef(world, who);
  const picture = bytes ?? paintPicture(320, 320, world.random.integer(0, 359));
  const key = storePhoto(world, { bytes: picture })?.at(-1)?.file_id;
  if (key === undefined) throw new ControlError('not_a_picture');
  user.photos.unshift(key);
  world.changed({ type: 'user_added', userId: user.id });
}
