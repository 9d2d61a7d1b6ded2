import type { Message, PaidMedia } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { checkEntities } from '../../text/check-entities.ts';
import { albumFamily, mediaKindFacts, type MediaKind } from '../../world/messages/media.ts';
import type { MessageContent, MessageRecord } from '../../world/records.ts';
import { nextLongId } from '../../world/world.ts';
import type { Call, MethodTable } from '../call.ts';
import { readMedia } from './input-media.ts';
import { createParams, type Params } from '../params.ts';
import { makeCaption, openEnvelope, post, readCaption, show } from '../send.ts';
import { requirePermission } from '../target.ts';

const noCaption = new Set<MediaKind>(['sticker', 'video_note']);

function mediaFlags(params: Params): MessageContent {
  return {
    ...(params.flag('has_spoiler') && { has_media_spoiler: true }),
    ...(params.flag('show_caption_above_media') && { show_caption_above_media: true }),
  };
}

const sender =
  (kind: MediaKind) =>
  async (call: Call): Promise<Message> => {
    const envelope = openEnvelope(call, mediaKindFacts[kind].permission);
    const caption = noCaption.has(kind) ? {} : readCaption(call);
    const media = await readMedia(call, kind, call.params, kind);
    const record = post(call, envelope, { ...media, ...caption, ...mediaFlags(call.params) });
    return show(call, envelope.room, record);
  };

/** One item of an album as separate parameters; uploads are shared. */
export function itemParams(call: Call, item: unknown): Params {
  if (item === null || typeof item !== 'object')
    throw badRequest("can't parse InputMedia: expected an Object");
  const own = createParams(item as Record<string, unknown>);
  return { ...own, upload: (name) => call.params.upload(name) };
}

export function itemKind(params: Params): MediaKind {
  const type = params.text('type');
  const kinds = ['photo', 'video', 'audio', 'document', 'animation', 'live_photo'] as const;
  const kind = kinds.find((one) => one === type);
  if (type === '') throw badRequest('can\'t parse InputMedia: Can\'t find field "type"');
  if (!kind) throw badRequest(`can't parse InputMedia: type "${type}" is unsupported`);
  return kind;
}

const itemCaption = (call: Call, params: Params): MessageContent => {
  const entities = checkEntities(params.json('caption_entities'));
  return makeCaption(call, params.text('caption'), params.text('parse_mode'), entities);
};

/** Content of an InputMedia object. */
export async function itemContent(call: Call, params: Params): Promise<MessageContent> {
  const kind = itemKind(params);
  const caption = itemCaption(call, params);
  return { ...(await readMedia(call, kind, params, 'media')), ...caption, ...mediaFlags(params) };
}

function readItems(call: Call): Params[] {
  call.params.required('media');
  const given = call.params.json('media');
  if (!Array.isArray(given)) throw badRequest('expected an Array of InputMedia');
  if (given.length === 0) throw badRequest('there are no messages to send');
  if (given.length > 10) throw badRequest('too many messages to send as an album');
  return given.map((item) => itemParams(call, item));
}

async function sendMediaGroup(call: Call): Promise<Message[]> {
  const envelope = openEnvelope(call, 'can_send_messages');
  const items = readItems(call);
  const kinds = items.map(itemKind);
  if (kinds.includes('animation')) {
    throw badRequest('can\'t parse InputMedia: type "animation" can\'t be used in sendMediaGroup');
  }
  if (new Set(kinds.map(albumFamily)).size > 1) {
    throw badRequest("can't use the media of the specified type in the album");
  }
  for (const kind of kinds) requirePermission(call, envelope.room, mediaKindFacts[kind].permission);
  // Read all files first: an album arrives completely or not at all.
  const contents: MessageContent[] = [];
  for (const item of items) contents.push(await itemContent(call, item));
  const group = contents.length > 1 ? { media_group_id: nextLongId(call.world) } : {};
  const records: MessageRecord[] = contents.map((content) =>
    post(call, envelope, { ...content, ...group }),
  );
  return records.map((record) => show(call, envelope.room, record));
}

function readPayload(call: Call): string {
  const payload = call.params.text('payload');
  if (Buffer.byteLength(payload) > 128) throw badRequest('PAYLOAD_INVALID');
  return payload;
}

async function sendPaidMedia(call: Call): Promise<Message> {
  const envelope = openEnvelope(call, 'can_send_photos');
  const stars = call.params.integer('star_count');
  if (stars < 1 || stars > 25_000) throw badRequest('STARS_AMOUNT_INVALID');
  const paid: PaidMedia[] = [];
  for (const item of readItems(call)) {
    const kind = itemKind(item);
    const content = await readMedia(call, kind, item, 'media');
    if (content.video) paid.push({ type: 'video', video: content.video });
    else if (content.live_photo) paid.push({ type: 'live_photo', live_photo: content.live_photo });
    else if (content.photo) paid.push({ type: 'photo', photo: content.photo });
    else throw badRequest('only photos and videos can be sent as paid media');
  }
  envelope.draft.bill = {
    id: nextLongId(call.world),
    botId: call.bot.id,
    payload: readPayload(call),
    currency: 'XTR',
    prices: [{ label: 'Media', amount: stars }],
    maxTip: 0,
    isFlexible: false,
    needs: [],
    media: { items: paid, inChannel: envelope.room.type === 'channel' },
  };
  const record = post(call, envelope, {
    paid_media: { star_count: stars, paid_media: paid },
    ...readCaption(call),
  });
  return show(call, envelope.room, record);
}

export const mediaMethods: MethodTable = {
  sendphoto: sender('photo'),
  sendaudio: sender('audio'),
  senddocument: sender('document'),
  sendvideo: sender('video'),
  sendanimation: sender('animation'),
  sendvoice: sender('voice'),
  sendvideonote: sender('video_note'),
  sendsticker: sender('sticker'),
  sendlivephoto: sender('live_photo'),
  sendmediagroup: sendMediaGroup,
  sendpaidmedia: sendPaidMedia,
};
