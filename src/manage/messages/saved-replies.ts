import type { Clock } from '../../clock.ts';
import { type Caller, callersBot, maySeeBot, requireEveryBot } from '../../core/access/access.ts';
import { isoTime } from '../../core/iso-time.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { SavedReplyRecord } from '../../store/messages/saved-replies.ts';
import type { Store } from '../../store/store.ts';

export interface SavedReplyInput {
  name: string;
  text: string;
  /** 0 for all bots. */
  bot_id?: number;
}

/** A saved reply in the API's form. */
export interface SavedReplyView {
  id: number;
  bot_id: number;
  name: string;
  text: string;
  uses: number;
  last_used_at: string;
  created_at: string;
  updated_at: string;
}

export interface SavedReplyService {
  list(caller: Caller, botId: number | undefined): Promise<SavedReplyView[]>;
  add(caller: Caller, input: SavedReplyInput): Promise<SavedReplyView>;
  update(caller: Caller, id: number, input: Partial<SavedReplyInput>): Promise<SavedReplyView>;
  /** Counts a use. */
  used(caller: Caller, id: number): Promise<SavedReplyView>;
  /** Returns the reply as it was. */
  delete(caller: Caller, id: number): Promise<SavedReplyView>;
}

export const mostSavedReplies = 1_000;

export function createSavedReplyService(options: {
  store: Pick<Store, 'bots' | 'savedReplies'>;
  clock: Clock;
}): SavedReplyService {
  const { clock, store } = options;
  const replies = store.savedReplies;

  /** Callers limited to some bots see the replies for all bots; only others change those. */
  async function existing(caller: Caller, id: number): Promise<SavedReplyRecord> {
    const found = await replies.get(id);
    if (!found || (found.bot_id !== null && !maySeeBot(caller, found.bot_id))) throw notFound(id);
    return found;
  }

  async function changeable(caller: Caller, id: number): Promise<SavedReplyRecord> {
    const found = await existing(caller, id);
    if (found.bot_id === null) requireEveryBot(caller);
    return found;
  }

  /** Checks that the caller may save replies for this bot. */
  async function botOf(caller: Caller, botId: number): Promise<number | null> {
    if (botId !== 0) return (await callersBot(store.bots, caller, botId)).id;
    requireEveryBot(caller);
    return null;
  }

  return {
    async list(caller, botId) {
      if (botId === undefined) return (await replies.list(caller.botIds)).map(view);
      await callersBot(store.bots, caller, botId);
      return (await replies.list([botId])).map(view);
    },
    async add(caller, { bot_id = 0, name, text }) {
      checkWords({ name, text });
      const now = clock.now();
      const row = { bot_id: await botOf(caller, bot_id), name, text };
      const added = await replies.add(
        { ...row, created_at: now, updated_at: now },
        mostSavedReplies,
      );
      if (added === 'full') {
        throw new RelayError('conflict', reason('too_many_replies', { most: mostSavedReplies }));
      }
      if (added === 'taken') throw nameTaken(name);
      return view(added);
    },
    async update(caller, id, { bot_id, ...words }) {
      const before = await changeable(caller, id);
      checkWords(words);
      const moved = bot_id === undefined ? {} : { bot_id: await botOf(caller, bot_id) };
      const changed = await replies.update(id, { ...words, ...moved, updated_at: clock.now() });
      if (changed === 'gone') throw notFound(id);
      if (changed === 'taken') throw nameTaken(words.name ?? before.name);
      return view(changed);
    },
    async used(caller, id) {
      await existing(caller, id);
      const used = await replies.used(id, clock.now());
      if (!used) throw notFound(id);
      return view(used);
    },
    async delete(caller, id) {
      const before = await changeable(caller, id);
      if (!(await replies.remove(id))) throw notFound(id);
      return view(before);
    },
  };
}

export function checkWords(words: Partial<Pick<SavedReplyInput, 'name' | 'text'>>): void {
  for (const [field, value] of Object.entries(words)) {
    if (value?.trim() === '') throw invalidField(field, reason('blank'));
  }
}

const view = ({ bot_id, last_used_at, created_at, updated_at, ...reply }: SavedReplyRecord) => ({
  id: reply.id,
  bot_id: bot_id ?? 0,
  name: reply.name,
  text: reply.text,
  uses: reply.uses,
  last_used_at: isoTime(last_used_at),
  created_at: isoTime(created_at),
  updated_at: isoTime(updated_at),
});

function notFound(id: number): RelayError {
  return new RelayError('not_found', reason('no_such_reply', { reply_id: id }), {
    details: [{ field: 'id', problem: reason('names_no_reply') }],
  });
}

function nameTaken(name: string): RelayError {
  return new RelayError('conflict', reason('reply_name_taken', { name }), {
    details: [{ field: 'name', problem: reason('value_taken') }],
  });
}
