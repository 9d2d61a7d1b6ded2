/*
 * Shows in the topics of customers what others than the desk do in their chats: what people in the
 * web UI, the API, apps and backends answer, edit and delete. Part of the commit that stores it.
 */
import { deskAuthor, type DeskCall } from '../../core/desks/desk.ts';
import type { MessageFact } from '../../core/messages/archive-facts.ts';
import { type Author, readAuthor } from '../../core/messages/author.ts';
import { accountMessageId } from '../../core/messages/business-messages.ts';
import { shifted } from '../../core/messages/compose-message.ts';
import { storedEntities } from '../../core/messages/message-entities.ts';
import { sendableMedia } from '../../core/messages/send-call.ts';
import { object, text } from '../../core/log/wire.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import type { ShowAnswers } from '../outbox/store-answers.ts';
import { wordsOf } from '../sql/dialect.ts';
import { addItem, inTurn, relayAuthor, takeStep } from './desk-queue.ts';

/** Broadcasts are left out: one to all customers would hold up the forum for hours. */
const shownKinds = new Set<Author['kind']>(['user', 'key', 'app', 'backend', 'ask']);
/** Their first answer assigns the conversation, which the card shows. */
const assigns = new Set<Author['kind']>(['user', 'desk']);
const textLimit = 4096;
const captionLimit = 1024;

/** True for a send that the topic of its customer shows. */
export const isShownInTopic = (author: Author | undefined): author is Author =>
  author !== undefined && shownKinds.has(author.kind);

interface Place {
  botId: number;
  /** The business account; '' for the bot's own chats. */
  connection: string;
  chatId: number;
  /** The ID in the chat; undefined if it has none. */
  messageId: number | undefined;
  /** The ID under which it is stored. */
  archivedAs: MessageFact['id'];
}

/** A message that was written or edited, or the place of one that was deleted. */
interface Change {
  place: Place;
  author?: Author | undefined;
  message?: MessageFact;
  /** The other messages of an album. */
  others?: readonly MessageFact[];
}

/** `hasDesk` is true if the bot may have a desk. */
export function* showInTopics(
  dialect: DialectName,
  hasDesk: (botId: number) => boolean,
  answers: Parameters<ShowAnswers>[0],
  nowMs: number,
): Step<void> {
  const changes = answers.flatMap(({ botId, author, answer: { archive, deleted } }) => {
    if (!hasDesk(botId)) return [];
    const gone = deleted?.messageIds ?? [];
    return [
      ...albumsOf(archive.messages).map(
        ([message, ...others]): Change => ({
          place: placeOf(botId, message.chatId, message.id, connectionOf(message)),
          author,
          message,
          others,
        }),
      ),
      ...gone.map(
        (messageId): Change => ({
          place: placeOf(botId, deleted?.chatId ?? 0, messageId, deleted?.connection ?? ''),
        }),
      ),
    ].filter(({ place }) => place.chatId > 0 && place.messageId !== undefined);
  });
  if (changes.length === 0) return;
  const { isIn, list } = wordsOf[dialect];
  const bots = yield* raw<{ bot_id: number; id: number; name: string }>(
    `select b.bot_id, d.id, d.name from desk_bots b join desks d on d.id = b.desk_id
     where ${isIn('b.bot_id', '$1')}`,
    [list([...new Set(changes.map(({ place }) => place.botId))])],
  );
  for (const [index, { place, author, message, others = [] }] of changes.entries()) {
    const desk = bots.find(({ bot_id }) => bot_id === place.botId);
    if (!desk) continue;
    if (message && author && assigns.has(author.kind)) yield* touchUnassigned(place);
    const key = `${place.botId}:${place.chatId}:${place.archivedAs}`;
    if (!message) yield* showDeletion(dialect, place, key, nowMs);
    else if (message.editedAt !== null) {
      yield* showEdit(dialect, desk, place, message, `${key}:${nowMs}:${index}`, nowMs);
    } else if (isShownInTopic(author)) {
      yield* showAnswer(dialect, desk, place, author, [message, ...others], key, nowMs);
    }
  }
}

/** New messages, each with those of its album. */
function albumsOf(messages: readonly MessageFact[]): [MessageFact, ...MessageFact[]][] {
  const albums: [MessageFact, ...MessageFact[]][] = [];
  for (const message of messages) {
    const album = albums.at(-1);
    const { editedAt, fileId, mediaGroupId } = message;
    const isPart = mediaGroupId !== null && editedAt === null && fileId !== null;
    if (isPart && album?.[0].mediaGroupId === mediaGroupId) album.push(message);
    else albums.push([message]);
  }
  return albums;
}

function* touchUnassigned({ botId, chatId }: Place): Step<void> {
  yield* raw(
    `update desk_topics set card_stale = 1 where bot_id = $1 and chat_id = $2 and card_id > 0
       and card_shown like '%"assignee":""%'`,
    [botId, chatId],
  );
}

function placeOf(
  botId: number,
  chatId: number,
  archivedAs: MessageFact['id'],
  connection: string,
): Place {
  const id = archivedAs === 'from-position' ? undefined : archivedAs;
  const ofAccount = connection !== '' && id !== undefined;
  const messageId = ofAccount ? accountMessageId(connection, id) : id;
  return { botId, connection, chatId, messageId, archivedAs };
}

function connectionOf({ extra }: MessageFact): string {
  if (extra === null || !extra.includes('business_connection_id')) return '';
  return text(object(JSON.parse(extra))?.business_connection_id);
}

const accountOf = ({ connection }: Place) =>
  connection === '' ? {} : { sourceConnection: connection };

type DeskName = Parameters<typeof deskAuthor>[0];

function* showAnswer(
  dialect: DialectName,
  desk: DeskName,
  place: Place,
  author: Author,
  album: readonly [MessageFact, ...MessageFact[]],
  key: string,
  nowMs: number,
): Step<void> {
  const { botId, chatId, connection, messageId } = place;
  const [message, ...others] = album;
  const [topic] = yield* raw<{ id: number }>(
    'select id from desk_topics where bot_id = $1 and chat_id = $2 and banned = 0',
    [botId, chatId],
  );
  if (!topic) return;
  const context = {
    kind: 'carry',
    sourceBotId: botId,
    ...accountOf(place),
    sourceChatId: chatId,
    sourceMessageIds: [
      messageId,
      ...others.map(({ id }) => placeOf(botId, chatId, id, connection).messageId),
    ],
    routeId: 0,
    style: 'desk',
    hops: 1,
  };
  const shown = others.length > 0 ? albumFor(author, album) : callFor(author, message);
  const call = { ...shown, author: deskAuthor(desk), context };
  yield* addItem(topic.id, { key: `desk:shown:${key}`, call }, inTurn);
  yield* takeStep(dialect, topic.id, nowMs);
}

interface CopyRow {
  topic: number;
  doing: string;
  author: string | null;
}

/** Finds the topic that shows a message, or in which the message was written. */
function* topicWith({
  botId,
  connection,
  chatId,
  messageId,
  archivedAs,
}: Place): Step<CopyRow | undefined> {
  const [copy] = yield* raw<CopyRow>(
    `select t.id as topic, t.doing, m.author
     from desk_topics t join desks d on d.id = t.desk_id
       join message_pairs p on p.bot_id = t.bot_id and p.connection = $4 and p.chat_id = t.chat_id
         and p.message_id = $3 and p.style = 'desk' and p.peer_bot_id = d.desk_bot_id
         and p.peer_chat_id = d.chat_id
       left join messages m on m.bot_id = t.bot_id and m.chat_id = t.chat_id and m.id = $5
     where t.bot_id = $1 and t.chat_id = $2 limit 1`,
    [botId, chatId, messageId, connection, archivedAs],
  );
  return copy;
}

/** Only the newest edit of a message waits: an app may stream its answer by edits. */
function* showEdit(
  dialect: DialectName,
  desk: DeskName,
  place: Place,
  message: MessageFact,
  key: string,
  nowMs: number,
): Step<void> {
  const copy = yield* topicWith(place);
  const author = readAuthor(copy?.author ?? null);
  // The team's own message stays as the team wrote it.
  if (!copy || !isShownInTopic(author)) return;
  const { method, params } = callFor(author, message);
  const { text, entities, caption, caption_entities } = params;
  if (text === undefined && caption === undefined) return;
  const prefix = `desk:shown-edit:${place.botId}:${place.chatId}:${place.archivedAs}:`;
  yield* raw(
    `delete from desk_items where topic_id = $1 and key <> $2 and substr(key, 1, $3) = $4`,
    [copy.topic, copy.doing, prefix.length, prefix],
  );
  const call: DeskCall = {
    ...(method === 'sendMessage'
      ? { method: 'editMessageText', params: { text, entities } }
      : { method: 'editMessageCaption', params: { caption, caption_entities } }),
    author: deskAuthor(desk),
    context: changeOf('edit', place),
  };
  yield* addItem(copy.topic, { key: `desk:shown-edit:${key}`, call }, inTurn);
  yield* takeStep(dialect, copy.topic, nowMs);
}

function* showDeletion(dialect: DialectName, place: Place, key: string, nowMs: number): Step<void> {
  const copy = yield* topicWith(place);
  if (!copy) return;
  const context = changeOf('delete', place);
  const call: DeskCall = { method: 'deleteMessage', params: {}, author: relayAuthor, context };
  yield* addItem(copy.topic, { key: `desk:deleted:${key}`, call }, inTurn);
  yield* takeStep(dialect, copy.topic, nowMs);
}

const changeOf = (kind: 'edit' | 'delete', place: Place) => ({
  kind,
  sourceBotId: place.botId,
  ...accountOf(place),
  sourceChatId: place.chatId,
  sourceMessageId: place.messageId,
});

/** The message under a line that names its author, without a sound. */
function callFor(
  { kind, name }: Author,
  { text, mediaType, fileId, extra }: MessageFact,
): Pick<DeskCall, 'method' | 'params'> {
  const line = `↩️ ${kind === 'user' || kind === 'key' ? name : `${kind} ${name}`}`.trim();
  const bold = [{ type: 'bold', offset: 0, length: line.length }];
  const silent = { disable_notification: true };
  const media = mediaType === null ? undefined : sendableMedia[mediaType];
  const all = text === '' ? line : `${line}\n${text}`;
  const words = (limit: number) =>
    all.length <= limit ? all : `${all.slice(0, limit - 1).toWellFormed()}…`;
  const entities = (limit: number) => [
    ...bold,
    ...shifted(storedEntities(extra), line.length + 1).filter((entity) => {
      const { offset, length } = entity as { offset: number; length: number };
      return offset + length <= limit;
    }),
  ];
  if (!media || fileId === null || mediaType === null) {
    const shown = text === '' && mediaType !== null ? `${line}\n[${mediaType}]` : words(textLimit);
    const params = { text: shown, entities: entities(textLimit), ...silent };
    return { method: 'sendMessage', params };
  }
  const file = { $file: { file_id: fileId, name: mediaType, kind: mediaType, size: 0 } };
  const caption = media.caption
    ? { caption: words(captionLimit), caption_entities: entities(captionLimit) }
    : {};
  return { method: media.method, params: { [mediaType]: file, ...caption, ...silent } };
}

/** The line that names the author is above the first caption. */
function albumFor(
  author: Author,
  messages: readonly MessageFact[],
): Pick<DeskCall, 'method' | 'params'> {
  const media = messages.map((message, index) => {
    const { extra, mediaType: type, text: words } = message;
    const { params } = callFor(author, message);
    const { caption, caption_entities } =
      index === 0 ? params : { caption: words, caption_entities: storedEntities(extra) };
    return { type, media: params[type ?? ''], caption, caption_entities };
  });
  return { method: 'sendMediaGroup', params: { media, disable_notification: true } };
}
