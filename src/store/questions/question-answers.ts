/*
 * Decides in the append which updates answer questions: presses of their buttons, replies to them,
 * and in a private chat the next message. The answer shares the commit of its update, so it is
 * stored exactly once, whichever node receives it and whenever a process dies.
 */
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import { integer, object, text, type Wire } from '../../core/log/wire.ts';
import type { Author } from '../../core/messages/author.ts';
import { personFact, personName } from '../../core/messages/message-facts.ts';
import { type Press, pressOf } from '../../core/messages/own-buttons.ts';
import { repliedIn } from '../../core/messages/topics.ts';
import { askAuthor, type Question } from '../../core/questions/question.ts';
import { askedText, pressReplies, readAskButton } from '../../core/questions/question-message.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import type { OfferedUpdates } from '../log/claims.ts';
import { pressesQuestion, type QuestionAnswers, type QuestionTaker } from '../log/questions.ts';
import { enqueueIntent } from '../outbox/outbox.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type QuestionRow, questionColumns, questionOf } from './question-row.ts';
import { countOpen, type Ending, endQuestion } from './question-steps.ts';

/** Only the text of a message whose number is not known yet identifies it. */
const withoutSentText = questionColumns.replace(
  ' text,',
  " case when message_id = 0 then text else '' end as text,",
);
const keyColumns = { bot_id: 'bigint', chat_id: 'bigint' } as const;

/** What an append has to write about one update. */
interface Outcome {
  ending?: Ending;
  /** The reply to a press. */
  reply?: { queryId: string; text: string; author: Author };
  position: number;
  nowMs: number;
}

interface Taker extends QuestionTaker {
  outcomes: Outcome[];
}

export function createQuestionAnswers(dialect: DialectName): QuestionAnswers {
  return {
    *begin(offered) {
      const found = yield* findQuestions(dialect, offered);
      const byBot = Map.groupBy(found, ({ botId }) => botId);
      return new Map(offered.map(({ botId }) => [botId, takerOf(byBot.get(botId) ?? [])]));
    },
    *settle(takers) {
      for (const [botId, taker] of takers) {
        const { outcomes } = taker as Taker;
        let hasEnded = false;
        for (const outcome of outcomes) {
          if (outcome.ending && (yield* endQuestion(outcome.ending))) hasEnded = true;
          yield* queueReply(botId, outcome);
        }
        if (hasEnded) yield* countOpen(botId);
      }
    },
  };
}

/** Reads the questions that these updates name, and the open ones of their chats that take a message. */
function* findQuestions(
  dialect: DialectName,
  offered: readonly OfferedUpdates[],
): Step<Question[]> {
  const { isIn, list, rows, rowParameters } = wordsOf[dialect];
  const pressed = new Set<number>();
  const chats = new Map<string, [botId: number, chatId: number]>();
  for (const { botId, updates } of offered) {
    for (const { facts, kind } of updates) {
      const button = readAskButton(facts.callbackData ?? '');
      if (button) pressed.add(button.id);
      const { chatId } = facts;
      if (kind === 'message' && chatId) chats.set(`${botId} ${chatId}`, [botId, chatId]);
    }
  }
  const named =
    pressed.size === 0
      ? []
      : yield* raw<QuestionRow>(
          `select ${questionColumns} from questions where ${isIn('id', '$1')}`,
          [list([...pressed])],
        );
  const free =
    chats.size === 0
      ? []
      : yield* raw<QuestionRow>(
          `select ${withoutSentText} from questions where state = 'open' and options = '[]'
             and (bot_id, chat_id) in (${rows(keyColumns, 1)}) order by id`,
          rowParameters(keyColumns, [...chats.values()]),
        );
  return [...named, ...free].map(questionOf);
}

function* queueReply(botId: number, { nowMs, position, reply }: Outcome): Step<void> {
  if (!reply) return;
  const { author, queryId, text: words } = reply;
  const params = { callback_query_id: queryId, text: words, show_alert: true };
  const intentKey = `ask:press:${botId}:${position}`;
  const how = { origin: 'sent', priority: 'interactive', author } as const;
  const method = 'answerCallbackQuery';
  yield* enqueueIntent({ botId, chatId: 0, method, params, intentKey, ...how }, nowMs);
}

function takerOf(questions: readonly Question[]): Taker {
  const outcomes: Outcome[] = [];
  /** The questions that updates of this commit have answered. */
  const answered = new Set<number>();
  const isOpen = ({ id, state }: Question) => state === 'open' && !answered.has(id);

  function answer(
    question: Question,
    given: NonNullable<Ending['answer']>,
    nowMs: number,
    reply?: Outcome['reply'],
  ): void {
    answered.add(question.id);
    const ending = { id: question.id, state: 'answered', nowMs, answer: given } as const;
    const { position } = given;
    outcomes.push({ ending, ...(reply ? { reply } : {}), position, nowMs });
  }

  function takePress(press: Press, position: number, nowMs: number): void {
    const button = readAskButton(press.data);
    const question = questions.find(({ id }) => id === button?.id);
    const author = question ? askAuthor(question) : nobody;
    const refuse = (why: keyof typeof pressReplies) => {
      const reply = { queryId: press.queryId, text: pressReplies[why], author };
      outcomes.push({ reply, position, nowMs });
    };
    if (!button || !question || question.nonce !== button.nonce) return refuse('gone');
    if (!isOn(question, press)) return refuse('gone');
    if (!isFor(question, press.userId)) return refuse('others');
    if (question.state !== 'open') return refuse(question.state);
    if (!isOpen(question)) return refuse('answered');
    if (question.expiresAt <= nowMs) return refuse('expired');
    const option = question.options[button.option];
    if (option === undefined) return refuse('gone');
    const { messageId, queryId, userId, userName: name } = press;
    const reply = { queryId, text: option, author };
    answer(question, { text: option, userId, name, messageId, position }, nowMs, reply);
  }

  function takeMessage(update: IncomingUpdate, position: number, nowMs: number): boolean {
    const { chatId } = update.facts;
    const open = questions.filter(
      (question) =>
        question.chatId === chatId &&
        question.options.length === 0 &&
        isOpen(question) &&
        question.expiresAt > nowMs,
    );
    if (open.length === 0) return false;
    const message = object(object(JSON.parse(update.raw))?.message) ?? {};
    const person = personFact(message.from);
    const words = text(message.text) || text(message.caption);
    if (!person || person.isBot || words === '') return false;
    const replied = repliedIn(message);
    const question = replied
      ? open.find((one) => isReplyTo(one, replied))
      : nextMessageAnswers(open, update, message);
    if (!question || !isFor(question, person.userId)) return false;
    const messageId = question.messageId || (integer(replied?.message_id) ?? 0);
    const given = { text: words, userId: person.userId, name: personName(message.from) };
    answer(question, { ...given, messageId, position }, nowMs);
    return true;
  }

  return {
    outcomes,
    takes(update, position, nowMs) {
      if (update.kind === 'message') return takeMessage(update, position, nowMs);
      if (!pressesQuestion(update)) return false;
      const press = pressOf(object(object(JSON.parse(update.raw))?.callback_query) ?? {});
      if (press) takePress(press, position, nowMs);
      return true;
    },
  };
}

const nobody: Author = { kind: 'ask', id: 0, name: '' };

const isFor = ({ userIds }: Question, userId: number) =>
  userIds.length === 0 || userIds.includes(userId);

/** Until its number is known, Telegram must say that the message has the button. */
const isOn = ({ chatId, messageId }: Question, press: Press) =>
  press.chatId === chatId && (messageId === 0 ? press.isShown : press.messageId === messageId);

/** Until its number is known, the words of the message must be those of the question. */
function isReplyTo(question: Question, replied: Wire): boolean {
  if (question.messageId !== 0) return replied.message_id === question.messageId;
  return object(replied.from)?.is_bot === true && replied.text === askedText(question);
}

/** In a private chat the next message answers, unless several questions wait for one, or it is a command. */
function nextMessageAnswers(
  open: readonly Question[],
  { facts }: IncomingUpdate,
  message: Wire,
): Question | undefined {
  const [question, other] = open;
  if (!question || other || question.chatId <= 0 || facts.text.startsWith('/')) return undefined;
  const isLater = question.messageId !== 0 && Number(message.message_id) > question.messageId;
  const isHere = question.threadId === 0 || question.threadId === facts.threadId;
  return isLater && isHere ? question : undefined;
}
