/* Applies a file once: plan, check, write in one transaction, then start the affected bots. */
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import type { ConfigDocument, FileEntry } from '../../core/config-file/document.ts';
import { withMovedChats } from '../../core/config-file/moved-chats.ts';
import { entryKey } from '../../core/config-file/plan.ts';
import type { BotRunner, EventBus, WhileDrained } from '../../core/ports.ts';
import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { configStateStep, lockConfigStep } from '../../store/access/config-state.ts';
import type { Step } from '../../store/engine.ts';
import type { BotService } from '../bots/bots.ts';
import { checked } from './changes.ts';
import type {
  AppliedChange,
  ConfigDeps,
  CurrentConfig,
  Plan,
  Prepared,
  Preparing,
} from './config-kind.ts';
import { kindOf } from './config-kinds.ts';
import { readCurrentConfig } from './current-config.ts';
import { deleteBot } from './kinds/bot.ts';
import { planConfig, type PlanOptions } from './plan-config.ts';
import { wantedEntries } from './wanted-config.ts';

export interface AppliedConfig {
  dry_run: boolean;
  changes: AppliedChange[];
  /** Suggestions for changes of the file. */
  notes: { note: string; note_detail: Reason }[];
  /** Bots that could not be deleted; applying the same file with `prune` deletes them. */
  failed: { kind: 'bot'; name: string; problem: string; problem_detail: Reason }[];
}

export interface ApplyOptions extends PlanOptions {
  dryRun: boolean;
}

export interface ConfigServiceOptions extends ConfigDeps {
  bots: Pick<BotService, 'delete'>;
  runner: Pick<BotRunner, 'apply'>;
  clock: Clock;
  events?: EventBus;
  logger?: Logger;
  whileDrained?: WhileDrained;
}

export interface ApplyRound {
  /** Hash of the stored configuration when the file was compared. */
  state: string;
  isWritten: boolean;
}

const deadlineMs = 60_000;
const checkedAtOnce = 10;

export async function applyOnce(
  deps: ConfigServiceOptions,
  caller: Caller,
  given: ConfigDocument,
  options: ApplyOptions,
  round: ApplyRound,
): Promise<AppliedConfig> {
  const { store, clock } = deps;
  const { dryRun } = options;
  const current = await readCurrentConfig(deps);
  const { document, moved } = withMovedChats(given, await store.chatMoves.all());
  const notes = [...moved].map(([from, to]) => {
    const why = reason('chat_moved', { from, to });
    return { note: reasonText(why), note_detail: why };
  });
  const wanted = await wantedEntries(store, document, current);
  const plan = planConfig({ document, wanted, current, nowMs: clock.now() }, options);
  const { changes } = plan;
  const prepared = await prepareAll(plan, { ...deps, caller, current: plan.staying });
  const applied = { dry_run: dryRun, changes, notes, failed: [] };
  if (dryRun || changes.length === 0) return applied;

  let botIds: ReadonlyMap<number, number> = botIdsOf(current);
  try {
    for (const { before } of prepared) await before?.();
    const writeAll = () => write(deps, plan, prepared, round.state);
    const drains = prepared.flatMap((one) => one.drains ?? []);
    botIds = await (deps.whileDrained?.(drains, writeAll) ?? writeAll());
    round.isWritten = true;
  } finally {
    await Promise.all([...changedBots(plan)].map((id) => follow(deps, botIds.get(id))));
  }
  return { ...applied, failed: await deleteBots(deps, caller, changes) };
}

/** Deletions come first: other entries may need the names, tokens and places that they free. */
async function prepareAll({ wanted, changes }: Plan, preparing: Preparing): Promise<Prepared[]> {
  const { store } = preparing;
  const prepared = changes.flatMap((change): Prepared[] => {
    const { remove } = kindOf(change);
    if (change.change !== 'delete' || !remove) return [];
    return [
      {
        *write({ nowMs }) {
          yield* remove(store, change.id, nowMs);
        },
      },
    ];
  });
  const byKey = new Map(changes.map((change) => [entryKey(change), change]));
  const changed = wanted.flatMap((entry) => {
    const change = byKey.get(entryKey(entry));
    return change ? [{ ...entry, change }] : [];
  });
  for (let at = 0; at < changed.length; at += checkedAtOnce) {
    const portion = changed
      .slice(at, at + checkedAtOnce)
      .map((entry) => checked(entry, () => kindOf(entry).prepare(entry, preparing)));
    prepared.push(...(await Promise.all(portion)));
  }
  return prepared;
}

/** Returns the IDs of bots by platform ID. */
async function write(
  { store, clock }: ConfigServiceOptions,
  { changes, current }: Plan,
  prepared: readonly Prepared[],
  state: string,
): Promise<ReadonlyMap<number, number>> {
  const verifies = new Set(changes.map((change) => kindOf(change).verify));
  return store.engine.write(
    function* (): Step<ReadonlyMap<number, number>> {
      // The engine may run the transaction again, so a former try leaves nothing here.
      const writing = { botIds: botIdsOf(current), nowMs: clock.now() };
      yield* lockConfigStep(store.engine);
      // The stored configuration must be the one that the file was compared with.
      if ((yield* configStateStep()) !== state) {
        throw new RelayError('conflict', reason('config_outrun'));
      }
      for (const one of prepared) yield* one.write(writing);
      for (const verify of verifies) if (verify) yield* verify(store, current, writing.nowMs);
      return writing.botIds;
    },
    { deadlineMs },
  );
}

const botIdsOf = ({ stored }: CurrentConfig) =>
  new Map([...stored.bot.values()].map((bot) => [bot.platform_id, bot.id]));

/** Platform IDs of the bots whose settings, apps or routes change. */
function changedBots({ wanted, changes, current }: Plan): Set<number> {
  const changed = new Set(changes.map(entryKey));
  const botsOf = (entry: FileEntry) => {
    const { changesBots } = kindOf(entry);
    if (!changesBots || !changed.has(entryKey(entry))) return [];
    return Object.values(kindOf(entry).bots(entry)).flat();
  };
  return new Set([...wanted, ...current.entries].flatMap(botsOf));
}

async function follow(
  { runner, events, logger }: ConfigServiceOptions,
  botId: number | undefined,
): Promise<void> {
  // The transaction that adds this bot failed.
  if (botId === undefined) return;
  try {
    await runner.apply(botId);
  } catch (error) {
    // The file is written, and the response must say so, so this failure is only logged.
    logger?.error({ err: error, bot: botId }, 'starting a bot failed');
  }
  events?.publish('bot', botId, { change: 'updated' });
  events?.publish('route', botId, { change: 'updated', route_id: 0 });
}

async function deleteBots(
  deps: ConfigServiceOptions,
  caller: Caller,
  changes: readonly AppliedChange[],
): Promise<AppliedConfig['failed']> {
  const failed: AppliedConfig['failed'] = [];
  for (const { change, kind, name, id } of changes) {
    if (kind !== 'bot' || change !== 'delete') continue;
    const why = await deleteBot(deps, caller, id);
    if (why) failed.push({ kind, name, problem: reasonText(why), problem_detail: why });
  }
  return failed;
}
