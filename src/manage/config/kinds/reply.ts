import type { ReplyInFile } from '../../../core/config-file/sections/saved-replies.ts';
import { reason } from '../../../core/reasons/reason.ts';
import { checkWords, mostSavedReplies } from '../../messages/saved-replies.ts';
import { wrongEntry } from '../changes.ts';
import type { Changed, ConfigKind, Plan, Prepared, Preparing } from '../config-kind.ts';

export const replyKind: ConfigKind<'reply'> = {
  async read({ store, platformIdOf }) {
    const records = await store.savedReplies.list(null);
    const part = records.map(
      ({ bot_id, name, text }): ReplyInFile => ({
        name,
        text,
        ...(bot_id === null ? {} : { bot: platformIdOf(bot_id) }),
      }),
    );
    return { part, records };
  },
  compare: (entry) => entry,
  prepare: prepareReply,
  remove: ({ savedReplies }, id) => savedReplies.removeStep(id),
  bots: ({ given: { bot } }) => ({ bot: bot === undefined ? [] : [bot] }),
  boundBy: ['bot'],
  changesBots: false,
  check: checkCount,
};

function prepareReply({ given, name }: Changed<'reply'>, { store, current }: Preparing): Prepared {
  const before = current.stored.reply.get(name);
  const { bot, ...words } = given;
  checkWords(words);
  return {
    *write({ botIds, nowMs }) {
      const bot_id = bot === undefined ? null : (botIds.get(bot) as number);
      yield* store.savedReplies.saveStep(before?.id, { ...words, bot_id }, nowMs);
    },
  };
}

function checkCount({ entries, staying }: Plan): void {
  const replies = entries.filter((entry) => entry.kind === 'reply');
  const added = replies.find(({ name }) => !staying.stored.reply.has(name));
  if (!added || replies.length <= mostSavedReplies) return;
  throw wrongEntry(added, '', reason('too_many_replies', { most: mostSavedReplies }), 'conflict');
}
