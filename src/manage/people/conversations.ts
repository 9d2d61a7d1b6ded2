import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import type { EventBus } from '../../core/ports.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { SettableState } from '../../core/people/conversation-states.ts';
import type { AssigneeKey, ConversationCounts } from '../../store/people/conversations.ts';
import type { ConversationOfBot } from '../../store/conversations/topic-states.ts';
import type { Store } from '../../store/store.ts';
import { isoTime } from '../../core/iso-time.ts';
import { authorOf } from '../../core/messages/author.ts';
import { requireManaged } from '../bots/managed-bot.ts';
import { type Assignee, assigneeKey, botsOf, keyOf, mayHave, mayHaveAny } from './assignees.ts';
import type { ChatQuery, ChatService, ChatView } from './chats.ts';

interface ConversationKey {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
}

/** The API names times in its own way. */
type ConversationCountsView = Omit<
  ConversationCounts,
  'waitingSince' | 'mineWaiting' | 'mineSince'
> & {
  waiting_since: string;
  mine_waiting: number;
  mine_waiting_since: string;
};

/** Private chats and chats of business accounts: who waits for an answer, and whose they are. */
export interface ConversationService {
  counts(
    caller: Caller,
    query: Pick<ChatQuery, 'bot_id' | 'assignee' | 'tag' | 'message_thread_id'>,
  ): Promise<ConversationCountsView>;
  /** The users who may be given conversations of the bot, or of any bot of the caller. */
  assignees(caller: Caller, botId?: number): Promise<Assignee[]>;
  /** `assignee` is `me`, `user:3`, `person:5001`, or '' for nobody. */
  assign(
    caller: Caller,
    request: ConversationKey & { assignee: string; confirm: boolean },
  ): Promise<ChatView>;
  setState(caller: Caller, request: ConversationKey & { state: SettableState }): Promise<ChatView>;
  /** Without `until` it ends. */
  snooze(caller: Caller, request: ConversationKey & { until?: string }): Promise<ChatView>;
  /** The calling user saw its messages. */
  read(caller: Caller, key: ConversationKey): Promise<ChatView>;
  /** Tells others who look at the chat that the caller writes. */
  writing(caller: Caller, key: ConversationKey): Promise<void>;
}

export function createConversationService(options: {
  store: Store;
  chats: Pick<ChatService, 'get'>;
  clock: Clock;
  events: EventBus;
  wakeSends(botIds: ReadonlySet<number>): void;
}): ConversationService {
  const { store, chats, clock, events, wakeSends } = options;

  const viewOf = (caller: Caller, { bot_id, chat_id, message_thread_id }: ConversationKey) =>
    chats.get(caller, bot_id, chat_id, message_thread_id);

  async function existing(caller: Caller, key: ConversationKey): Promise<ConversationOfBot> {
    await viewOf(caller, key);
    if (key.chat_id > 0) return conversationOf(key);
    throw invalidField('chat_id', reason('no_conversation'));
  }

  async function changed(caller: Caller, key: ConversationKey, change: string): Promise<ChatView> {
    events.publish('chat', key.bot_id, { ...placeOf(key), change });
    return viewOf(caller, key);
  }

  async function assigneeNamed(
    caller: Caller,
    botId: number,
    named: string,
  ): Promise<AssigneeKey | undefined> {
    if (named === '') return undefined;
    const users = await store.users.list();
    const key = assigneeKey(caller, named, users);
    const [kind, id] = [key.split(':')[0], Number(key.split(':')[1])];
    if (kind === 'user') {
      const user = users.find((one) => one.id === id);
      if (user && mayHave(user, botId)) return { key, name: user.username };
    } else {
      // People are stored once for all bots, so others are treated as unknown.
      const isKnown = await store.people.isKnownTo(caller.botIds, id);
      const person = isKnown ? await store.people.get(id) : undefined;
      const name = [person?.first_name, person?.last_name].filter(Boolean).join(' ');
      if (person) return { key, name: name || person.username };
    }
    throw invalidField('assignee', reason('no_such_assignee', { assignee: named, bot_id: botId }));
  }

  return {
    async counts(caller, { assignee, bot_id, message_thread_id, tag }) {
      const wanted = {
        botIds: botsOf(caller, bot_id),
        chatIds: null,
        assignee:
          assignee === undefined
            ? undefined
            : assigneeKey(caller, assignee, await store.users.list()),
        tag,
        tagBots: caller.botIds,
        threadId: message_thread_id,
        now: clock.now(),
      };
      const counted = await store.conversations.counts(wanted, keyOf(caller) || 'nobody');
      const { mineSince, mineWaiting, waitingSince, ...counts } = counted;
      return {
        ...counts,
        waiting_since: isoTime(waitingSince),
        mine_waiting: mineWaiting,
        mine_waiting_since: isoTime(mineSince),
      };
    },

    async assignees(caller, botId) {
      if (botId !== undefined) await requireManaged(store, caller, botId);
      const users = await store.users.list();
      const bots = botsOf(caller, botId);
      return users
        .filter((user) => (bots ? bots.some((bot) => mayHave(user, bot)) : mayHaveAny(user)))
        .map(({ id, username }) => ({ kind: 'user', id, name: username }));
    },

    async assign(caller, request) {
      const chat = await existing(caller, request);
      const to = await assigneeNamed(caller, request.bot_id, request.assignee);
      const by = { key: keyOf(caller), confirmed: request.confirm };
      const outcome = await store.conversations.assign(chat, to, by);
      if (outcome === 'assigned') return changed(caller, request, 'assigned');
      throw new RelayError('conflict', reason('chat_assigned', { name: outcome.heldBy }), {
        details: [{ field: 'confirm', problem: reason('confirm_to_take') }],
      });
    },

    async setState(caller, request) {
      const chat = await existing(caller, request);
      if (request.state === 'done') {
        const asking = await store.desks.end(chat, clock.now());
        if (asking !== 0) wakeSends(new Set([asking]));
      } else await store.conversations.setState(chat, request.state);
      return changed(caller, request, 'state');
    },

    async snooze(caller, request) {
      const chat = await existing(caller, request);
      const until = request.until === undefined ? 0 : Date.parse(request.until);
      if (until !== 0 && until <= clock.now())
        throw invalidField('until', reason('not_in_the_future'));
      await store.conversations.snooze(chat, until);
      return changed(caller, request, 'snoozed');
    },

    async read(caller, key) {
      const chat = await viewOf(caller, key);
      if (!chat.unread || !chat.last_message) return chat;
      await store.conversations.markSeen(conversationOf(key), caller.id, chat.last_message);
      return { ...chat, unread: false };
    },

    async writing(caller, key) {
      await requireManaged(store, caller, key.bot_id);
      events.publish('chat.writing', key.bot_id, { ...placeOf(key), author: authorOf(caller) });
    },
  };
}

function conversationOf(key: ConversationKey): ConversationOfBot {
  const { bot_id: botId, chat_id: chatId, message_thread_id: threadId = 0 } = key;
  return { botId, chatId, threadId };
}

/** Where it is, in the form of events. */
function placeOf({ chat_id, message_thread_id }: ConversationKey) {
  return { chat_id, ...(message_thread_id === undefined ? {} : { message_thread_id }) };
}
