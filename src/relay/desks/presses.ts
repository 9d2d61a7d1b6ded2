/* Decides presses on the buttons of desks: ratings of customers, and the pinned card. */
import { readCardButton } from '../../core/desks/card-buttons.ts';
import { readRatingButton } from '../../core/desks/rating-message.ts';
import { deskWords } from '../../core/desks/words/words.ts';
import type { Press } from '../../core/messages/own-buttons.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { relayAuthor } from '../../store/desks/desk-queue.ts';
import type { DesksOfBot } from '../../store/desks/desk-reads.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import type { RoutingDecision } from '../routing/routing-decision.ts';
import type { DeskDeps } from './desk-deps.ts';

type PressDeps = Pick<DeskDeps, 'desks' | 'isForumAdmin'>;
type Outcome = Pick<RoutingDecision, 'intents' | 'act' | 'changes'>;

/** Undefined for other buttons. */
export async function pressOutcome(
  deps: PressDeps,
  { forums }: DesksOfBot,
  bot: BotRecord,
  { position }: LogEntry,
  press: Press,
): Promise<Outcome | undefined> {
  const key = `desk:press:${bot.id}:${position}`;
  const rating = readRatingButton(press.data);
  if (rating) {
    const { desks } = deps;
    const rated = { ...press, ...rating, botId: bot.id, key };
    return { intents: [], act: (nowMs) => desks.rate(rated, nowMs) };
  }
  const button = readCardButton(press.data);
  const forum = forums.find(({ chatId }) => chatId === press.chatId);
  if (!button || !forum) return undefined;
  return onCard(deps, forum, bot, press, button, key);
}

/** The same people as for commands; what the card no longer offers does nothing. */
async function onCard(
  { desks, isForumAdmin }: PressDeps,
  forum: DesksOfBot['forums'][number],
  bot: BotRecord,
  press: Press,
  button: NonNullable<ReturnType<typeof readCardButton>>,
  key: string,
): Promise<Outcome> {
  const { chatId, isShown, messageId, userId, userName: name } = press;
  const answer = (text?: string): OutboxIntent => ({
    botId: bot.id,
    chatId: 0,
    method: 'answerCallbackQuery',
    params: {
      callback_query_id: press.queryId,
      ...(text === undefined ? {} : { text, show_alert: true }),
    },
    origin: 'sent',
    priority: 'interactive',
    intentKey: `${key}:answer`,
    author: relayAuthor,
  });
  const { command, id, nonce } = button;
  const card = { id, nonce, messageId, isShown };
  const topic = await desks.topicOfCard(forum.deskId, card);
  if (!topic) return { intents: [answer()] };
  const may = topic.personIds.includes(userId) || (await isForumAdmin(bot, chatId, userId));
  if (!may) {
    const known = may === false ? 'desk_admins_only' : 'desk_admin_unknown';
    const why = reason(known, { command: `/${command}` });
    return { intents: [answer(deskWords(why, forum.language))] };
  }
  const act = { command, text: '', person: { id: userId, name }, key, at: Infinity };
  return {
    intents: [answer()],
    act: (nowMs) => desks.act(topic.id, act, nowMs),
    changes: topic,
  };
}
