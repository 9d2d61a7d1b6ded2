/*
 * Shows in the topics of customers what others than the desk answered them: people in the web UI,
 * the API, apps and backends. Part of the commit that stores the messages.
 */
import { deskAuthor, type DeskCall } from '../../core/desks/desk.ts';
import type { MessageFact } from '../../core/messages/archive-facts.ts';
import type { Author } from '../../core/messages/author.ts';
import { sendableMedia } from '../../core/messages/send-call.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import type { ShowAnswers } from '../outbox/store-answers.ts';
import { wordsOf } from '../sql/dialect.ts';
import { addItem, inTurn, takeStep } from './desk-queue.ts';

/** Broadcasts are left out: one to all customers would hold up the forum for hours. */
const shownKinds = new Set<Author['kind']>(['user', 'key', 'app', 'backend', 'ask']);
const textLimit = 4096;
const captionLimit = 1024;

/** True for a send that the topic of its customer shows. */
export const isShownInTopic = (author: Author | undefined): author is Author =>
  author !== undefined && shownKinds.has(author.kind);

export function* showInTopics(
  dialect: DialectName,
  answers: Parameters<ShowAnswers>[0],
  nowMs: number,
): Step<void> {
  const shown = answers.flatMap(({ botId, author, answer }) =>
    isShownInTopic(author)
      ? answer.archive.messages
          .filter(({ chatId, editedAt }) => chatId > 0 && editedAt === null)
          .map((message) => ({ botId, author, message }))
      : [],
  );
  if (shown.length === 0) return;
  const { isIn, list } = wordsOf[dialect];
  const bots = yield* raw<{ bot_id: number; id: number; name: string }>(
    `select b.bot_id, d.id, d.name from desk_bots b join desks d on d.id = b.desk_id
     where ${isIn('b.bot_id', '$1')}`,
    [list([...new Set(shown.map(({ botId }) => botId))])],
  );
  for (const { botId, author, message } of shown) {
    const desk = bots.find(({ bot_id }) => bot_id === botId);
    if (!desk || typeof message.id !== 'number') continue;
    const [topic] = yield* raw<{ id: number }>(
      'select id from desk_topics where bot_id = $1 and chat_id = $2 and banned = 0',
      [botId, message.chatId],
    );
    if (!topic) continue;
    const key = `desk:shown:${botId}:${message.chatId}:${message.id}`;
    const call = { ...callFor(author, message), author: deskAuthor(desk) };
    const context = {
      kind: 'carry',
      sourceBotId: botId,
      sourceChatId: message.chatId,
      sourceMessageIds: [message.id],
      routeId: 0,
      style: 'desk',
      hops: 1,
    };
    yield* addItem(topic.id, { key, call: { ...call, context } }, inTurn);
    yield* takeStep(dialect, topic.id, nowMs);
  }
}

/** The message under a line that names its author, without a sound. */
function callFor(
  { kind, name }: Author,
  { text, mediaType, fileId }: MessageFact,
): Pick<DeskCall, 'method' | 'params'> {
  const line = `↩️ ${kind === 'user' || kind === 'key' ? name : `${kind} ${name}`}`.trim();
  const bold = [{ type: 'bold', offset: 0, length: line.length }];
  const silent = { disable_notification: true };
  const media = mediaType === null ? undefined : sendableMedia[mediaType];
  const words = (limit: number) =>
    (text === '' ? line : `${line}\n${text}`).slice(0, limit).toWellFormed();
  if (!media || fileId === null || mediaType === null) {
    const shown = text === '' && mediaType !== null ? `${line}\n[${mediaType}]` : words(textLimit);
    return { method: 'sendMessage', params: { text: shown, entities: bold, ...silent } };
  }
  const file = { $file: { file_id: fileId, name: mediaType, kind: mediaType, size: 0 } };
  const caption = media.caption ? { caption: words(captionLimit), caption_entities: bold } : {};
  return { method: media.method, params: { [mediaType]: file, ...caption, ...silent } };
}
