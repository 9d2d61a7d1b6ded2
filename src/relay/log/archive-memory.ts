/*
 * Remembers what the archive already holds about people and chats, so that a busy chat does not
 * write the same rows again with every message. Forgetting costs only a write; remembering
 * something that was not committed would lose one, so facts are remembered after their commit.
 *
 * The time a person was last seen is written at most once a minute, and lags by no more than that.
 * The time of a chat's last message is written at most once a second while the chat is busy; a time
 * that was held back is written within that second, by itself. All of its row is written at most
 * once a minute.
 */
import type { Clock } from '../../clock.ts';
import type { ArchiveFacts, ChatFact, PersonFact } from '../../core/messages/archive-facts.ts';
import type { IncomingUpdate } from '../../core/log/update-facts.ts';

const rowMs = 60_000;
const chatMs = 1_000;
const rememberedAtMost = 50_000;

interface KnownPerson {
  fact: PersonFact;
  storedAt: number;
}

interface KnownChat {
  fact: ChatFact;
  storedAt: number;
  /** When the time of its last message was written. */
  touchedAt: number;
  /**
   * The date of the newest message that the stored row does not include yet; 0 if there is none.
   */
  heldBack: number;
}

/** A chat whose last message is newer than its row says. */
export interface ChatTouch {
  botId: number;
  chatId: number;
  /** Unix seconds. */
  date: number;
}

export interface ArchiveMemory {
  /** Returns the update without the facts that are known to be stored. */
  trim(botId: number, update: IncomingUpdate): IncomingUpdate;
  /** Remembers these facts, which are on disk. */
  stored(botId: number, facts: ArchiveFacts): void;
  /** Returns the chats that were held back for long enough. */
  takeDue(): ChatTouch[];
  /** Calls the listener when a chat that was held back falls due. */
  onDue(listener: () => void): void;
  /** Forgets the bot; dates that were held back are still returned. */
  forget(botId: number): void;
  /** Forgets a chat whose row is deleted, so that its next message creates it. */
  forgetChat(botId: number, chatId: number): void;
  close(): void;
}

export function createArchiveMemory(clock: Clock): ArchiveMemory {
  const people = new Map<number, KnownPerson>();
  const chatsOfBots = new Map<number, Map<number, KnownChat>>();
  let chatCount = 0;
  const held: { botId: number; known: KnownChat }[] = [];
  let reportDue = () => {};
  let cancelTimer: (() => void) | undefined;

  function holdBack(botId: number, known: KnownChat, facts: ArchiveFacts): void {
    const date = facts.messages.reduce((newest, { date: at }) => Math.max(newest, at), 0);
    if (date === 0) return;
    if (known.heldBack === 0) held.push({ botId, known });
    known.heldBack = Math.max(date, known.heldBack);
    cancelTimer ??= clock.after(chatMs, () => {
      cancelTimer = undefined;
      reportDue();
    });
  }

  function personStored(fact: PersonFact, storedAt: number): void {
    const known = people.get(fact.userId);
    if (!known) {
      people.set(fact.userId, { fact, storedAt });
      if (people.size > rememberedAtMost) people.delete(people.keys().next().value as number);
      return;
    }
    known.storedAt = storedAt;
    if (!isSamePerson(known.fact, fact)) known.fact = fact;
  }

  function chatStored(botId: number, fact: ChatFact, storedAt: number): void {
    const known = chatsOfBots.get(botId)?.get(fact.chatId);
    if (known) {
      known.storedAt = storedAt;
      known.touchedAt = storedAt;
      if (!isSameChat(known.fact, fact)) known.fact = fact;
      return;
    }
    // Forgets all chats of the bot that was heard of first, as only a write is lost by that.
    if (chatCount >= rememberedAtMost) forgetChats(chatsOfBots.keys().next().value as number);
    const chats = chatsOfBots.get(botId) ?? new Map<number, KnownChat>();
    chatsOfBots.set(
      botId,
      chats.set(fact.chatId, { fact, storedAt, touchedAt: storedAt, heldBack: 0 }),
    );
    chatCount++;
  }

  function forgetChats(botId: number): void {
    chatCount -= chatsOfBots.get(botId)?.size ?? 0;
    chatsOfBots.delete(botId);
  }

  /** The row was just written, and will soon be or was just touched. */
  function isStored({ storedAt, touchedAt, heldBack }: KnownChat, now: number): boolean {
    return now - storedAt < rowMs && (heldBack > 0 || now - touchedAt < chatMs);
  }

  return {
    trim(botId, update) {
      const facts = update.archive;
      const now = clock.monotonic();
      const newPeople = facts.people.filter((person) => {
        const known = people.get(person.userId);
        return !known || now - known.storedAt >= rowMs || !isSamePerson(known.fact, person);
      });
      const newChats = facts.chats.filter((chat) => {
        const known = chatsOfBots.get(botId)?.get(chat.chatId);
        if (!known || !isStored(known, now) || !isSameChat(known.fact, chat)) return true;
        holdBack(botId, known, facts);
        return false;
      });
      if (newPeople.length === facts.people.length && newChats.length === facts.chats.length) {
        return update;
      }
      return { ...update, archive: { ...facts, people: newPeople, chats: newChats } };
    },
    stored(botId, facts) {
      const storedAt = clock.monotonic();
      for (const person of facts.people) personStored(person, storedAt);
      for (const chat of facts.chats) chatStored(botId, chat, storedAt);
    },
    takeDue() {
      const now = clock.monotonic();
      return held.splice(0).map(({ botId, known }) => {
        const date = known.heldBack;
        known.heldBack = 0;
        known.touchedAt = now;
        return { botId, chatId: known.fact.chatId, date };
      });
    },
    onDue(listener) {
      reportDue = listener;
    },
    forget: forgetChats,
    forgetChat(botId, chatId) {
      if (chatsOfBots.get(botId)?.delete(chatId)) chatCount--;
    },
    close: () => cancelTimer?.(),
  };
}

function isSamePerson(one: PersonFact, other: PersonFact): boolean {
  return (
    one.username === other.username &&
    one.firstName === other.firstName &&
    one.lastName === other.lastName &&
    one.isBot === other.isBot &&
    one.languageCode === other.languageCode
  );
}

function isSameChat(one: ChatFact, other: ChatFact): boolean {
  return one.type === other.type && one.title === other.title && one.username === other.username;
}
