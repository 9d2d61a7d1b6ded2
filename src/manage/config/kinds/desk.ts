import type { DeskInFile } from '../../../core/config-file/sections/desks.ts';
import { type DeskOptions, optionsOf } from '../../../core/desks/desk-options.ts';
import { reason } from '../../../core/reasons/reason.ts';
import { invalidField } from '../../../errors.ts';
import { checkOptions } from '../../desks/check-options.ts';
import { wrongEntry } from '../changes.ts';
import type { Changed, ConfigKind, Plan, Prepared, Preparing } from '../config-kind.ts';

export const deskKind: ConfigKind<'desk'> = {
  async read({ store, platformIdOf, platformIdsOf }) {
    const records = await store.desks.list();
    const part = records.map(
      (desk): DeskInFile => ({
        ...optionsOf(desk),
        chat_id: desk.chat_id,
        desk_bot: platformIdOf(desk.desk_bot_id),
        bots: platformIdsOf(desk.bot_ids),
      }),
    );
    return { part, records };
  },
  compare: (entry) => entry,
  prepare: prepareDesk,
  remove: ({ desks }, id, nowMs) => desks.removeStep(id, nowMs),
  bots: ({ given }) => ({ desk_bot: [given.desk_bot], bots: given.bots }),
  boundBy: ['desk_bot'],
  changesBots: true,
  check: checkBotsOfDesks,
};

function prepareDesk({ fields, name }: Changed<'desk'>, { store, current }: Preparing): Prepared {
  const before = current.stored.desk.get(name);
  const { chat_id, desk_bot, bots, ...options } = fields as unknown as DeskInFile & DeskOptions;
  if (chat_id >= 0) throw invalidField('chat_id', reason('desk_needs_group'));
  checkOptions(options);
  return {
    *write({ botIds, nowMs }) {
      const idOf = (platformId: number) => botIds.get(platformId) as number;
      const settings = {
        ...options,
        chat_id,
        desk_bot_id: idOf(desk_bot),
        bot_ids: bots.map(idOf),
      };
      // A bot may move here from a desk that the same file writes later.
      yield* store.desks.leaveStep(settings.bot_ids, before?.id ?? 0);
      yield* store.desks.saveStep(before?.id, settings, nowMs);
    },
  };
}

/** A bot has at most one desk, and a desk needs chat management, which the file states itself. */
function checkBotsOfDesks({ entries }: Plan): void {
  const managed = new Set(
    entries.flatMap((entry) =>
      entry.kind === 'bot' && entry.fields['manage_enabled'] === true ? [entry.name] : [],
    ),
  );
  const taken = new Set<number>();
  for (const entry of entries) {
    if (entry.kind !== 'desk') continue;
    const { desk_bot, bots } = entry.given;
    for (const bot of bots) {
      if (taken.has(bot)) throw wrongEntry(entry, 'bots', reason('bot_in_two_desks', { bot }));
      taken.add(bot);
    }
    for (const bot of [desk_bot, ...bots]) {
      if (managed.has(String(bot))) continue;
      throw wrongEntry(
        { kind: 'bot', name: String(bot) },
        'manage_enabled',
        reason('desk_needs_management'),
      );
    }
  }
}
