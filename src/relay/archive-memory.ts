/*
 * Remembers what the archive already holds of people and chats, so that a busy chat does not write
 * the same rows again with every message. Forgetting costs only a write; remembering something that
 * was not committed would lose one, so facts are remembered after their commit.
 *
 * When a person was last seen is written at most once a minute, and lags by no more than that.
 * When a chat last had a message is written at most once a second while it is busy; what was held
 * back follows within that second.
 */
import type { Clock } from '../clock.ts';
import type { ArchiveFacts, ChatFact, PersonFact } from '../core/archive-facts.ts';
import type { IncomingUpdate } from '../core/update-facts.ts';

const personMs = 60_000;
const chatMs = 1_000;
const rememberedAtMost = 50_000;

interface Remembered<Fact> {
  fact: Fact;
  storedAt: number;
}

/** A chat whose last message is newer than its row says. */
export interface ChatTouch {
  botId: number;
  chatId: number;
  /** Unix seconds. */
  date: number;
}

export interface ArchiveMemory {
  /** The same update without what is known to be stored. */
  trim(botId: number, update: IncomingUpdate): IncomingUpdate;
  /** These facts are on disk. */
  stored(botId: number, facts: ArchiveFacts): void;
  /** What was held back for long enough. */
  takeDue(): ChatTouch[];
  /** Calls back when something held back falls due. */
  onDue(listener: () => void): void;
  forget(botId: number): void;
  close(): void;
}

export function createArchiveMemory(clock: Clock): ArchiveMemory {
  const people = new Map<number, Remembered<PersonFact>>();
  const chats = new Map<string, Remembered<ChatFact>>();
  const heldBack = new Map<string, ChatTouch>();
  let tellDue = () => {};
  let cancelTimer: (() => void) | undefined;

  const keyOf = (botId: number, chatId: number) => `${botId} ${chatId}`;

  function holdBack(botId: number, chat: ChatFact, facts: ArchiveFacts): void {
    const date = facts.messages.reduce((newest, { date: at }) => Math.max(newest, at), 0);
    if (date === 0) return;
    const key = keyOf(botId, chat.chatId);
    heldBack.set(key, {
      botId,
      chatId: chat.chatId,
      date: Math.max(date, heldBack.get(key)?.date ?? 0),
    });
    cancelTimer ??= clock.after(chatMs, () => {
      cancelTimer = undefined;
      tellDue();
    });
  }

  return {
    trim(botId, update) {
      const facts = update.archive;
      const now = clock.now();
      const newPeople = facts.people.filter((person) => {
        const known = people.get(person.userId);
        return !known || now - known.storedAt >= personMs || !isSamePerson(known.fact, person);
      });
      const newChats = facts.chats.filter((chat) => {
        const known = chats.get(keyOf(botId, chat.chatId));
        if (!known || now - known.storedAt >= chatMs || !isSameChat(known.fact, chat)) return true;
        holdBack(botId, chat, facts);
        return false;
      });
      if (newPeople.length === facts.people.length && newChats.length === facts.chats.length) {
        return update;
      }
      return { ...update, archive: { ...facts, people: newPeople, chats: newChats } };
    },
    stored(botId, facts) {
      const storedAt = clock.now();
      for (const person of facts.people) {
        remember(people, person.userId, { fact: person, storedAt });
      }
      for (const chat of facts.chats) {
        remember(chats, keyOf(botId, chat.chatId), { fact: chat, storedAt });
      }
    },
    takeDue() {
      const due = [...heldBack.values()];
      heldBack.clear();
      return due;
    },
    onDue(listener) {
      tellDue = listener;
    },
    forget(botId) {
      for (const map of [chats, heldBack]) {
        for (const key of map.keys()) if (key.startsWith(`${botId} `)) map.delete(key);
      }
    },
    close: () => cancelTimer?.(),
  };
}

function remember<Key, Fact>(
  map: Map<Key, Remembered<Fact>>,
  key: Key,
  value: Remembered<Fact>,
): void {
  // Taken out and put in again, the order of the map is that of the last writes.
  map.delete(key);
  map.set(key, value);
  if (map.size > rememberedAtMost) map.delete(map.keys().next().value as Key);
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
