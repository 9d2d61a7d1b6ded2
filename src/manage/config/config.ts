/*
 * The configuration of the whole service as one document.
 *
 * Invariants: everything is checked before anything is written; what is written is one transaction,
 * of a plan that still holds in it; applying what was exported changes nothing.
 */
import type { Clock } from '../../clock.ts';
import { type Caller, requireEveryBot } from '../../core/access/access.ts';
import { mostApps } from '../../core/apps/app.ts';
import { type AppFilter, areTooMuch } from '../../core/apps/app-filter.ts';
import type { Passwords } from '../../core/access/passwords.ts';
import {
  type ConfigDocument,
  entriesOf,
  type FileEntry,
  type WrittenConfig,
  writtenDocument,
} from '../../core/config-file/document.ts';
import { withMovedChats } from '../../core/config-file/moved-chats.ts';
import {
  type ConfigEntry,
  type EntryKind,
  entryKey,
  planChanges,
  type PlannedChange,
} from '../../core/config-file/plan.ts';
import { type SelfSetWebhook, withoutSelfSet } from '../../core/config-file/self-set.ts';
import { maskSecret } from '../../core/bots/bot-token.ts';
import type { BotRunner, EventBus, WhileDrained } from '../../core/ports.ts';
import { pushReader, readerOf } from '../../core/log/reader-kinds.ts';
import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { configStateStep, lockConfigStep } from '../../store/access/config-state.ts';
import type { Step } from '../../store/engine.ts';
import type { BotService } from '../bots/bots.ts';
import type { LlmConfigService } from '../routing/llm-config.ts';
import { completeRoute, isTooMuch } from '../routing/routes.ts';
import { mostChannels } from '../ops/alert-channels.ts';
import { checkAdmin, prepareKey, prepareUser, requireAdmin } from './access-changes.ts';
import { prepareChannel } from './channel-changes.ts';
import { type BotChangeOptions, prepareApp, prepareBot } from './bot-changes.ts';
import { type Changed, checked, type Job, pick, wrongEntry } from './changes.ts';
import { type CurrentConfig, readCurrentConfig } from './current-config.ts';
import { currentEntries, wantedEntries } from './wanted-config.ts';

export interface AppliedConfig {
  dry_run: boolean;
  /** `id` is that of the entry on this service; 0 for one that is added, and for the model. */
  changes: (PlannedChange & { id: number })[];
  /** What the file should say otherwise. */
  notes: { note: string; note_detail: Reason }[];
  /** Bots that could not be deleted; the same file with `prune` deletes them. */
  failed: { kind: 'bot'; name: string; problem: string; problem_detail: Reason }[];
}

export interface ApplyOptions {
  dryRun: boolean;
  prune: boolean;
  /** With it, anything else to delete is a conflict, and nothing changes. */
  deletions?: readonly { kind: EntryKind; id: number }[] | undefined;
}

export interface ConfigService {
  /** Without webhooks that clients set themselves, which are beside it. */
  export(
    caller: Caller,
    withSecrets: boolean,
  ): Promise<WrittenConfig & { self_set: SelfSetWebhook[] }>;
  /** With `prune`, deletes what the sections of the document do not list. */
  apply(caller: Caller, document: ConfigDocument, options: ApplyOptions): Promise<AppliedConfig>;
}

export interface ConfigServiceOptions extends BotChangeOptions {
  llmConfig: Pick<LlmConfigService, 'own' | 'prepare'>;
  bots: Pick<BotService, 'delete'>;
  runner: Pick<BotRunner, 'apply'>;
  passwords: Passwords;
  clock: Clock;
  events?: EventBus;
  logger?: Logger;
  whileDrained?: WhileDrained;
}

const deadlineMs = 60_000;
const checkedAtOnce = 10;
const attempts = 5;

interface Attempt {
  /** Of what is stored, when the file was compared. */
  state: string;
  isWritten: boolean;
}

export function createConfigService(options: ConfigServiceOptions): ConfigService {
  const { store, llmConfig, runner, clock, events } = options;
  let last: Promise<unknown> = Promise.resolve();

  /** One file at a time: only what others change meanwhile is compared twice. */
  function mutex<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  async function prepare(
    entry: Changed<FileEntry['kind']>,
    current: CurrentConfig,
    caller: Caller,
  ): Promise<Job> {
    if (entry.kind === 'bot') return prepareBot(options, entry, current);
    if (entry.kind === 'app') return prepareApp(options, entry, current);
    if (entry.kind === 'user') return prepareUser(options, entry, current);
    if (entry.kind === 'key') return prepareKey(store, entry, current, caller.name);
    if (entry.kind === 'channel') return prepareChannel(options, entry, current);
    if (entry.kind === 'model') return llmConfig.prepare(entry.given);
    return prepareRoute(entry, current);
  }

  function prepareRoute(entry: Changed<'route'>, current: CurrentConfig): Job {
    const { source, target, ...settings } = entry.given;
    completeRoute({ ...settings, source_bot_id: 1, target_bot_id: 1 });
    const before = current.routes.get(entry.name);
    return function* ({ botIds, nowMs }) {
      const ends = {
        source_bot_id: botIds.get(source) as number,
        target_bot_id: botIds.get(target) as number,
      };
      const route = completeRoute({ ...settings, ...ends });
      yield* before
        ? store.routes.replaceStep(before.id, route, nowMs)
        : store.routes.insertStep(route, nowMs);
    };
  }

  const readState = () => store.engine.write(configStateStep);

  /** A bot goes after the transaction, in portions; until then it is disabled. */
  function removal({ kind, id }: AppliedConfig['changes'][number]): Job {
    return function* ({ nowMs }) {
      if (kind === 'bot') yield* store.bots.updateStep(id, { disabled: true }, nowMs);
      if (kind === 'app') yield* store.apps.removeStep(id, nowMs);
      if (kind === 'route') yield* store.routes.removeStep(id);
      if (kind === 'user') yield* store.users.deleteStep(id);
      if (kind === 'key') yield* store.apiKeys.deleteStep(id);
      if (kind === 'channel') yield* store.alertChannels.removeStep(id);
    };
  }

  /** What the file was compared with is what it changes. */
  function* requireState(state: string): Step<void> {
    yield* lockConfigStep(store.engine);
    if ((yield* configStateStep()) !== state) {
      throw new RelayError('conflict', reason('config_outrun'));
    }
  }

  async function write(
    {
      changes,
      jobs,
      state,
    }: { changes: readonly PlannedChange[]; jobs: readonly Job[]; state: string },
    current: CurrentConfig,
  ): Promise<ReadonlyMap<number, number>> {
    const known = current.bots.map((bot) => [bot.platform_id, bot.id] as const);
    return store.engine.write(
      function* (): Step<ReadonlyMap<number, number>> {
        // The engine may start again: nothing of a former try counts.
        const writing = { botIds: new Map(known), nowMs: clock.now() };
        yield* requireState(state);
        for (const job of jobs) yield* job(writing);
        if (changes.some(({ kind }) => kind === 'user' || kind === 'key')) {
          yield* requireAdmin(store, current, writing.nowMs);
        }
        return writing.botIds;
      },
      { deadlineMs },
    );
  }

  async function follow(botId: number | undefined): Promise<void> {
    // One that the transaction was to add, and that failed.
    if (botId === undefined) return;
    try {
      await runner.apply(botId);
    } catch (error) {
      // The file is written, and the answer has to say so.
      options.logger?.error({ err: error, bot: botId }, 'starting a bot failed');
    }
    events?.publish({ type: 'bot', botId, data: { change: 'updated' } });
    events?.publish({ type: 'route', botId, data: { change: 'updated', route_id: 0 } });
  }

  async function beforeWriting(changes: readonly PlannedChange[], current: CurrentConfig) {
    for (const { kind, name, fields } of changes) {
      const bot = kind === 'bot' && current.bots.find((one) => one.platform_id === Number(name));
      if (bot && fields.includes('manage_enabled')) {
        await store.bots.prepareUpdate(bot.id, { manage_enabled: !bot.manage_enabled });
      }
    }
  }

  /** Readers whose queue goes to somebody else: what is in flight is finished first. */
  function handedOver(changes: readonly PlannedChange[], current: CurrentConfig) {
    return changes.flatMap(({ kind, name, fields }) => {
      const bot = kind === 'bot' && current.bots.find((one) => one.platform_id === Number(name));
      if (bot && (fields.includes('backend_url') || fields.includes('proxy_enabled'))) {
        return [{ botId: bot.id, reader: pushReader }];
      }
      const app = kind === 'app' ? current.apps.get(name)?.app : undefined;
      if (app?.mode !== 'webhook' || !fields.includes('mode')) return [];
      return [{ botId: app.bot_id, reader: readerOf('push', app.name) }];
    });
  }

  async function applyOnce(
    caller: Caller,
    given: ConfigDocument,
    { dryRun, prune, deletions }: ApplyOptions,
    attempt: Attempt,
  ): Promise<AppliedConfig> {
    const current = await readCurrentConfig(store, llmConfig);
    const { document, moved } = withMovedChats(given, await store.chatMoves.all());
    const notes = [...moved].map(([from, to]) => {
      const why = reason('chat_moved', { from, to });
      return { note: reasonText(why), note_detail: why };
    });
    const wanted = await wantedEntries(store, document, current);
    const isPruned = prune ? prunedBy(document) : () => false;
    const known = currentEntries(current);
    const changes = planChanges(known, wanted, isPruned).map((change) => ({
      ...change,
      id: idOf(change, current),
    }));
    if (deletions) checkDeletions(changes, deletions);
    checkBots(wanted, current, changes);
    checkWeights(wanted, current, changes);
    checkAdmin(wanted, current, changes, clock.now());
    const byKey = new Map(changes.map((change) => [entryKey(change), change]));
    const removed = changes.filter(({ change }) => change === 'delete');
    const staying = without(current, removed);
    checkCounts(wanted, staying);
    const changed = wanted.flatMap((entry) => {
      const change = byKey.get(entryKey(entry));
      return change ? [{ ...entry, change }] : [];
    });
    // Deletions first: others may have the names, tokens and places that they free.
    const jobs: Job[] = removed.map(removal);
    for (let at = 0; at < changed.length; at += checkedAtOnce) {
      const portion = changed.slice(at, at + checkedAtOnce);
      const prepared = portion.map((entry) =>
        checked(entry, () => prepare(entry, staying, caller)),
      );
      jobs.push(...(await Promise.all(prepared)));
    }
    if (dryRun || changes.length === 0) return { dry_run: dryRun, changes, notes, failed: [] };

    let botIds: ReadonlyMap<number, number> = new Map(
      current.bots.map((bot) => [bot.platform_id, bot.id]),
    );
    try {
      await beforeWriting(changes, current);
      const writeAll = () => write({ changes, jobs, state: attempt.state }, current);
      const drained = handedOver(changes, current);
      botIds = await (options.whileDrained?.(drained, writeAll) ?? writeAll());
      attempt.isWritten = true;
    } finally {
      const touched = changed.map(platformIdsOf);
      const gone = known.filter((entry) => byKey.get(entryKey(entry))?.change === 'delete');
      const platformIds = new Set([...touched, ...gone.map(platformIdsOf)].flat());
      await Promise.all([...platformIds].map((id) => follow(botIds.get(id))));
    }
    const failed: AppliedConfig['failed'] = [];
    for (const { kind, name, id } of removed) {
      if (kind !== 'bot') continue;
      const problem = await deleteBot(caller, id);
      if (problem)
        failed.push({ kind, name, problem: reasonText(problem), problem_detail: problem });
    }
    return { dry_run: dryRun, changes, notes, failed };
  }

  /** Why it is still there; the rest of the file is applied whatever happens here. */
  async function deleteBot(caller: Caller, id: number): Promise<Reason | undefined> {
    try {
      const bot = await store.bots.get(id);
      if (bot && !bot.disabled) return reason('enabled_meanwhile');
      if (bot) await options.bots.delete(caller, id);
    } catch (error) {
      const code = error instanceof RelayError ? error.code : 'internal';
      // Another node was faster.
      if (code === 'bot_not_found') return undefined;
      options.logger?.warn({ err: error, bot: id }, 'deleting a bot failed');
      return error instanceof RelayError ? error.reason : reason('unexpected');
    }
    return undefined;
  }

  return {
    async export(caller, withSecrets) {
      requireEveryBot(caller);
      const { document, selfSet } = await readCurrentConfig(store, llmConfig);
      const own = [...selfSet.values()];
      const shown = withSecrets ? own : own.map(withoutSecret);
      return { ...writtenDocument(withoutSelfSet(document, own), withSecrets), self_set: shown };
    },

    apply(caller, document, applyOptions) {
      return mutex(async () => {
        requireEveryBot(caller);
        for (let tried = 1; ; tried++) {
          const attempt: Attempt = { state: await readState(), isWritten: false };
          try {
            return await applyOnce(caller, document, applyOptions, attempt);
          } catch (error) {
            if (attempt.isWritten) throw error;
            // What others changed meanwhile may be why this failed.
            if ((await readState()) === attempt.state) throw error;
            if (tried === attempts) throw new RelayError('conflict', reason('config_outrun'));
          }
        }
      });
    },
  };
}

function withoutSecret({ fields, ...own }: SelfSetWebhook): SelfSetWebhook {
  return { ...own, fields: { ...fields, secret_token: maskSecret(fields.secret_token) } };
}

/** Sections that are left out are not touched; the routes of a bot go with it. */
function prunedBy(document: ConfigDocument): (entry: ConfigEntry) => boolean {
  const bots = new Set(document.bots?.map((bot) => bot.platform_id));
  // A webhook has no bot: it stays.
  const goes = (platformId: unknown) =>
    document.bots !== undefined && platformId !== 0 && !bots.has(platformId as number);
  return ({ kind, fields }) => {
    if (kind === 'bot' || kind === 'app') return document.bots !== undefined;
    if (kind === 'user') return document.users !== undefined;
    if (kind === 'key') return document.keys !== undefined;
    if (kind === 'model') return false;
    if (kind === 'channel') return document.alert_channels !== undefined || goes(fields['bot']);
    return document.routes !== undefined || goes(fields['source']) || goes(fields['target']);
  };
}

function idOf({ kind, name }: PlannedChange, current: CurrentConfig): number {
  const { bots, apps, channels, routes, users, keys } = current;
  if (kind === 'bot') return bots.find((bot) => bot.platform_id === Number(name))?.id ?? 0;
  if (kind === 'user') return users.find(({ username }) => username === name)?.id ?? 0;
  const unnamed = { route: routes.get(name), channel: channels.get(name) };
  const found = { app: apps.get(name)?.app, key: keys.get(name), ...unnamed };
  return kind === 'model' ? 0 : (found[kind]?.id ?? 0);
}

function checkDeletions(
  changes: AppliedConfig['changes'],
  confirmed: NonNullable<ApplyOptions['deletions']>,
): void {
  const unconfirmed = changes.filter(
    ({ change, kind, id }) =>
      change === 'delete' && !confirmed.some((one) => one.kind === kind && one.id === id),
  );
  if (unconfirmed.length === 0) return;
  const names = unconfirmed.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  throw new RelayError('conflict', reason('config_deletes_more', { names }));
}

/** The configuration once these entries are deleted; a bot stays until its data is deleted, too. */
function without(current: CurrentConfig, removed: readonly PlannedChange[]): CurrentConfig {
  const gone = new Set(removed.map(entryKey));
  const rest = <T>(kind: EntryKind, entries: ReadonlyMap<string, T>) =>
    new Map([...entries].filter(([name]) => !gone.has(entryKey({ kind, name }))));
  return {
    ...current,
    apps: rest('app', current.apps),
    keys: rest('key', current.keys),
    channels: rest('channel', current.channels),
  };
}

function checkCounts(wanted: readonly FileEntry[], staying: CurrentConfig): void {
  const added = wanted.filter(
    ({ kind, name }) => kind === 'channel' && !staying.channels.has(name),
  );
  if (added[0] && staying.channels.size + added.length > mostChannels) {
    const why = reason('too_many_alert_channels', { most: mostChannels });
    throw wrongEntry(added[0], '', why, 'conflict');
  }
  const newApps = wanted.filter(({ kind, name }) => kind === 'app' && !staying.apps.has(name));
  const botOf = (name: string) => name.slice(0, name.indexOf('/'));
  for (const [bot, entries] of Map.groupBy(newApps, ({ name }) => botOf(name))) {
    const others = [...staying.apps.keys()].filter((name) => botOf(name) === bot);
    if (!entries[0] || others.length + entries.length <= mostApps) continue;
    throw wrongEntry(entries[0], '', reason('too_many_apps', { most: mostApps }), 'too_many_apps');
  }
}

/** Every bot that an entry names is in the file or on the service, and stays. */
function checkBots(
  wanted: readonly FileEntry[],
  current: CurrentConfig,
  changes: readonly PlannedChange[],
): void {
  const there = new Set(current.bots.map((bot) => bot.platform_id));
  for (const { kind, name } of wanted) if (kind === 'bot') there.add(Number(name));
  for (const { kind, name, change } of changes) {
    if (kind === 'bot' && change === 'delete') there.delete(Number(name));
  }
  for (const entry of wanted) {
    const { bots } = pick(entry.fields, ['bots']) as { bots?: readonly number[] | null };
    const named: Record<string, readonly number[]> =
      entry.kind === 'route'
        ? { source: [entry.given.source], target: [entry.given.target] }
        : { bots: bots ?? [], bot: entry.kind === 'channel' ? [entry.given.bot ?? []].flat() : [] };
    for (const [field, platformIds] of Object.entries(named)) {
      const missing = platformIds.find((id) => !there.has(id));
      if (missing === undefined) continue;
      throw wrongEntry(entry, field, reason('bot_not_in_config', { platform_id: missing }));
    }
  }
}

/** All bots share the time that the conditions of one take. */
function checkWeights(
  wanted: readonly FileEntry[],
  current: CurrentConfig,
  changes: readonly PlannedChange[],
): void {
  const settled = new Set([...wanted, ...changes].map(entryKey));
  const kept = entriesOf(current.document).filter((entry) => !settled.has(entryKey(entry)));
  const routes = [...wanted, ...kept].filter((entry) => entry.kind === 'route');
  const changed = new Set(changes.map(entryKey));
  for (const [source, entries] of Map.groupBy(routes, (entry) => entry.given.source)) {
    const grown = entries.find((entry) => changed.has(entryKey(entry)));
    const enabled = entries.filter(({ fields }) => fields['enabled'] === true);
    const full = enabled.map(({ fields }) => ({
      condition_type: String(fields['condition_type']),
      condition_value: String(fields['condition_value']),
    }));
    if (!grown || !isTooMuch(full)) continue;
    throw wrongEntry({ kind: 'bot', name: String(source) }, '', reason('routes_too_much'));
  }
  const apps = [...wanted, ...kept].filter((entry) => entry.kind === 'app');
  for (const entries of Map.groupBy(apps, (entry) => entry.platformId).values()) {
    const filterOf = (entry: FileEntry) => (entry.fields['filter'] ?? {}) as AppFilter;
    const grown = entries.find((entry) => changed.has(entryKey(entry)) && filterOf(entry).regex);
    if (!grown || !areTooMuch(entries.map(filterOf))) continue;
    throw wrongEntry(grown, 'filter.regex', reason('filters_too_much'));
  }
}

/** The bots whose settings, apps or routes an entry is about. */
function platformIdsOf(entry: FileEntry): number[] {
  if (entry.kind === 'bot') return [entry.given.platform_id];
  if (entry.kind === 'app') return [entry.platformId];
  return entry.kind === 'route' ? [entry.given.source, entry.given.target] : [];
}
