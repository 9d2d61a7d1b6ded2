/* Manages support desks: which bots' customers have their topics in which forum. */
import { type Caller, maySeeBot, requireBot } from '../../core/access/access.ts';
import type { Desk, DeskSettings, NewDesk } from '../../core/desks/desk.ts';
import { deskDefaults } from '../../core/desks/desk-options.ts';
import type { BotRunner } from '../../core/ports.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { conflictingField, invalidField, RelayError } from '../../errors.ts';
import type { BotPatch, BotRecord } from '../../store/bots/bots.ts';
import type { FoundTopic, TopicOutcome } from '../../store/desks/import-topics.ts';
import type { Store } from '../../store/store.ts';
import { botNotFound } from '../bots/bots.ts';
import { checkOptions } from './check-options.ts';
import { createDeskCheck, type DeskCheckDeps } from './check-desk.ts';

export type { TopicOutcome };

export interface DeskView extends Desk {
  /** The number of customers whose messages wait because of a problem. */
  waiting: number;
  problem: Reason | null;
  /** Those of the last 30 days. */
  ratings: { count: number; sum: number };
}

export interface ChangedDesk {
  desk: DeskView;
  /** Bots whose settings changed, because the desk needs it. */
  changedBotIds: number[];
}

export interface DeskService {
  list(caller: Caller): Promise<DeskView[]>;
  add(caller: Caller, settings: NewDesk): Promise<ChangedDesk>;
  update(
    caller: Caller,
    id: number,
    settings: Partial<Omit<DeskSettings, 'chat_id'>>,
  ): Promise<ChangedDesk>;
  /** Returns the desk as it was. */
  delete(caller: Caller, id: number): Promise<DeskView>;
  /** Connects customers of a bot with topics of the forum that exist. */
  importTopics(
    caller: Caller,
    request: { id: number; botId: number; topics: readonly FoundTopic[]; dryRun: boolean },
  ): Promise<TopicOutcome[]>;
  /** Asks Telegram whether the desk bot may do what it has to. */
  check(caller: Caller, id: number): Promise<readonly Reason[]>;
}

export interface DeskServiceDeps extends DeskCheckDeps {
  store: Store;
  runner: Pick<BotRunner, 'apply'>;
}

// Turning on management recounts what is stored of a bot.
const deadlineMs = 60_000;
const ratedMs = 30 * 24 * 3_600_000;

export function createDeskService(deps: DeskServiceDeps): DeskService {
  const { clock, events, runner, store } = deps;
  const checkDesk = createDeskCheck(deps);

  async function existing(caller: Caller, id: number): Promise<Desk> {
    const desk = await store.desks.get(id);
    if (!desk || !maySeeBot(caller, desk.desk_bot_id)) throw deskNotFound(id);
    return desk;
  }

  /** A desk connects its bots, so changing it needs all of them. */
  async function owned(caller: Caller, id: number): Promise<Desk> {
    const desk = await existing(caller, id);
    for (const botId of botsOf(desk)) requireBot(caller, botId);
    return desk;
  }

  async function viewed(caller: Caller, desks: readonly Desk[]): Promise<DeskView[]> {
    const waiting = new Map((await store.desks.waiting()).map((one) => [one.deskId, one]));
    const rated = await store.desks.ratingsOfDesks(clock.now() - ratedMs);
    const bots = await store.bots.list(desks.map((desk) => desk.desk_bot_id));
    const away = new Set(bots.flatMap((bot) => (bot.disabled ? [bot.id] : [])));
    return desks.map((desk) => {
      const held = waiting.get(desk.id);
      return {
        ...desk,
        problems: away.has(desk.desk_bot_id)
          ? [reason('desk_bot_disabled'), ...desk.problems]
          : desk.problems,
        bot_ids: desk.bot_ids.filter((botId) => maySeeBot(caller, botId)),
        waiting: held?.customers ?? 0,
        problem: held ? unpackReason(held.problem).detail : null,
        ratings: rated.get(desk.id) ?? { count: 0, sum: 0 },
      };
    });
  }

  async function check(desk: DeskSettings, id: number | undefined): Promise<BotRecord[]> {
    if (desk.chat_id >= 0) throw invalidField('chat_id', reason('desk_needs_group'));
    const bots = await store.bots.list(botsOf(desk));
    const known = new Set(bots.map((bot) => bot.id));
    if (!known.has(desk.desk_bot_id)) throw botNotFound(desk.desk_bot_id, 'desk_bot_id');
    for (const botId of desk.bot_ids) {
      if (!known.has(botId)) throw botNotFound(botId, 'bot_ids');
    }
    for (const other of await store.desks.list()) {
      if (other.id === id) continue;
      const { id: desk_id, name, chat_id } = other;
      if (chat_id === desk.chat_id) {
        throw conflictingField('chat_id', reason('forum_has_desk', { chat_id, desk_id, name }));
      }
      const bot_id = desk.bot_ids.find((botId) => other.bot_ids.includes(botId));
      if (bot_id !== undefined) {
        throw conflictingField('bot_ids', reason('bot_has_desk', { bot_id, desk_id, name }));
      }
    }
    return bots;
  }

  async function save(
    caller: Caller,
    id: number | undefined,
    settings: DeskSettings,
    before: Pick<Desk, 'desk_bot_id' | 'bot_ids'> = { desk_bot_id: 0, bot_ids: [] },
  ): Promise<ChangedDesk> {
    checkOptions(settings);
    const bots = await check(settings, id);
    const joining = settings.bot_ids.filter((botId) => !before.bot_ids.includes(botId));
    const leaving = before.bot_ids.filter((botId) => !settings.bot_ids.includes(botId));
    const patches = bots.flatMap((bot) => {
      const patch = patchFor(bot, joining);
      return patch ? [{ id: bot.id, patch }] : [];
    });
    for (const one of patches) await store.bots.prepareUpdate(one.id, one.patch);
    const saved = await store.engine.write(
      function* () {
        const now = clock.now();
        for (const one of patches) yield* store.bots.updateStep(one.id, one.patch, now);
        // A save that is refused must not have cost the topics of bots that leave.
        const all = { ...settings, bot_ids: [...settings.bot_ids, ...leaving] };
        return yield* store.desks.saveStep(id, all, now);
      },
      { deadlineMs },
    );
    if (saved === 0) throw deskNotFound(id ?? 0);
    await store.desks.release(saved, leaving, clock.now());
    await changed([...new Set([...botsOf(settings), ...before.bot_ids, before.desk_bot_id])]);
    await checkDesk(saved);
    const [view] = await viewed(caller, [await existing(caller, saved)]);
    return {
      desk: view as DeskView,
      changedBotIds: patches.map((one) => one.id),
    };
  }

  async function changed(botIds: readonly number[]): Promise<void> {
    for (const botId of botIds) {
      await runner.apply(botId);
      events.publish('bot', botId, { change: 'updated' });
    }
  }

  return {
    async list(caller) {
      const desks = await store.desks.list();
      return viewed(
        caller,
        desks.filter((desk) => maySeeBot(caller, desk.desk_bot_id)),
      );
    },
    async add(caller, settings) {
      for (const botId of botsOf(settings)) requireBot(caller, botId);
      return save(caller, undefined, { ...deskDefaults, ...settings });
    },
    async update(caller, id, input) {
      const before = await owned(caller, id);
      const settings = { ...before, ...input };
      for (const botId of botsOf(settings)) requireBot(caller, botId);
      return save(caller, id, settings, before);
    },
    async delete(caller, id) {
      const desk = await owned(caller, id);
      const [view] = await viewed(caller, [desk]);
      await store.desks.release(id, desk.bot_ids, clock.now());
      const removed = await store.engine.write(() => store.desks.removeStep(id, clock.now()));
      if (!removed) throw deskNotFound(id);
      await changed(botsOf(desk));
      return view as DeskView;
    },
    async check(caller, id) {
      const desk = await existing(caller, id);
      await checkDesk(id);
      const [view] = await viewed(caller, [(await store.desks.get(id)) ?? desk]);
      return (view ?? desk).problems;
    },
    async importTopics(caller, { id, botId, topics, dryRun }) {
      const desk = await owned(caller, id);
      if (!desk.bot_ids.includes(botId)) {
        throw invalidField('bot_id', reason('bot_not_at_desk', { desk_id: id }));
      }
      return store.engine.write(() =>
        store.desks.importTopics(id, botId, topics, { dryRun, nowMs: clock.now() }),
      );
    },
  };
}

const botsOf = ({ desk_bot_id, bot_ids }: Pick<DeskSettings, 'desk_bot_id' | 'bot_ids'>) =>
  [...new Set([desk_bot_id, ...bot_ids])].sort((a, b) => a - b);

/** Only managed bots have conversations that wait, and from then on only the team's answers count. */
function patchFor(bot: BotRecord, joining: readonly number[]): BotPatch | undefined {
  const patch: BotPatch = {
    ...(bot.manage_enabled ? {} : { manage_enabled: true }),
    ...(joining.includes(bot.id) && bot.automatic_answers !== 'ignore'
      ? { automatic_answers: 'ignore' as const }
      : {}),
  };
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function deskNotFound(id: number): RelayError {
  return new RelayError('not_found', reason('no_such_desk', { desk_id: id }), {
    details: [{ field: 'id', problem: reason('names_no_desk') }],
  });
}
