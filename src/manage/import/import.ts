/*
 * Imports bots and their history from another service, in portions. Everything is identified by its
 * content (a token, a chat and a message ID, the ends of a route), so the same portion changes
 * nothing a second time.
 */
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { type Caller, requireEveryBot, type Role } from '../../core/access/access.ts';
import { normalName } from '../../core/access/username.ts';
import { secretHash } from '../../core/access/vault.ts';
import type { BotSettings } from '../../core/bots/bot-settings.ts';
import { isBotToken, platformIdOf } from '../../core/bots/bot-token.ts';
import { limits } from '../../core/limits.ts';
import { toLine } from '../../core/people/plain-text.ts';
import type { ConditionType } from '../../core/routing/condition-types.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { History, HistoryCounts } from '../../store/import/history.ts';
import type { Store } from '../../store/store.ts';
import { checkBackendUrl, checkCalledUrl } from '../../telegram/address-policy.ts';
import type { Users } from '../access/users.ts';
import { type BotService, botNotFound } from '../bots/bots.ts';
import type { LlmConfig, LlmConfigService } from '../routing/llm-config.ts';
import { completeRoute, type RouteInput, type RouteService } from '../routing/routes.ts';

type Imported =
  | 'name'
  | 'description'
  | 'backend_url'
  | 'secret_token'
  | 'proxy_enabled'
  | 'manage_enabled'
  | 'long_poll_enabled'
  | 'llm_routing_enabled';

export interface ImportedBot extends Pick<BotSettings, Imported> {
  token: string;
  /** The first update that the other service did not handle; 0 if that is not known. */
  next_update_id: number;
  /** True if it stays disabled after the import. */
  disabled: boolean;
}

export interface ImportedUser {
  username: string;
  role: Role;
  bot_ids: number[];
}

/** A route as it is here, with all fields that another service knows. */
export type ImportedRoute = Required<
  Omit<
    RouteInput,
    'priority' | 'return_mode' | 'condition_type' | 'source_thread_id' | 'target_thread_id'
  >
> & {
  condition_type: ConditionType;
};

export type ImportedModel = Pick<LlmConfig, 'api_url' | 'model' | 'system_prompt' | 'enabled'> & {
  api_key: string;
};

/** Bots are named by their ID here; in a dry run, 0 stands for a bot that would be added. */
export interface Portion extends Partial<History> {
  bots?: ImportedBot[];
  users?: ImportedUser[];
  routes?: ImportedRoute[];
  model?: ImportedModel;
  /** Added bots stay disabled until all of their history is imported. */
  enable?: number[];
}

/** known: it existed before and stays as it is. refused: it cannot be imported. */
export type Outcome = 'added' | 'known' | 'refused';

export interface Taken {
  /** The ID of the bot, user or route here; 0 for none. */
  id: number;
  outcome: Outcome;
  problem: Reason | null;
}

export interface PortionReport extends HistoryCounts {
  bots: Taken[];
  users: Taken[];
  routes: Taken[];
  model: Taken | null;
  enabled: number[];
}

export interface ImportService {
  /** A dry run reports the same and stores nothing. */
  take(caller: Caller, portion: Portion, options: { dryRun: boolean }): Promise<PortionReport>;
}

const usernamePattern = /^[\p{L}\p{N}._@+-]{1,64}$/u;
const secretPattern = /^[A-Za-z0-9_-]*$/;
const modelWords = { example: 'https://api.example.com/v1', secretField: 'api_key' };

export function createImportService(options: {
  store: Store;
  bots: BotService;
  users: Users;
  routes: RouteService;
  llmConfig: LlmConfigService;
  config: Pick<Config, 'backends'>;
  clock: Clock;
}): ImportService {
  const { store, bots, users, routes, llmConfig, config, clock } = options;

  async function takeBot(caller: Caller, given: ImportedBot, dryRun: boolean): Promise<Taken> {
    const { token, next_update_id: nextUpdateId } = given;
    if (!isBotToken(token) || token.length > limits.tokenLength) {
      return refused(reason('not_a_bot_token'));
    }
    const holder = await holderOf(token);
    if (holder) return known(holder.id, reason('bot_registered', { bot_id: holder.id }));
    const { settings, problem: lost } = usable(given, config.backends);
    const problem = lost ?? (given.disabled ? reason('imported_disabled') : null);
    if (dryRun) {
      const error = await refusal(caller, token);
      return error === ''
        ? added(0, problem)
        : refused(reason('token_refused', { description: error }));
    }
    const mark = enableMark(token);
    if (!given.disabled) await store.settings.set(mark, '1');
    try {
      const bot = await bots.add(
        caller,
        { ...settings, token, disabled: true, nextUpdateId },
        'cli',
      );
      return added(bot.id, problem);
    } catch (error) {
      await forgetMark(mark);
      return refused(whyOf(error));
    }
  }

  /** Returns the bot with this token, or with an earlier or later token of the same bot. */
  async function holderOf(token: string): Promise<BotRecord | undefined> {
    const platformId = platformIdOf(token);
    return (
      (await store.bots.byToken(token)) ??
      (await store.bots.list()).find((bot) => bot.platform_id === platformId)
    );
  }

  /** Returns Telegram's objection to a token; '' if it accepts it or cannot be reached. */
  async function refusal(caller: Caller, token: string): Promise<string> {
    try {
      const { valid, error } = await bots.validate(caller, token);
      return valid ? '' : error;
    } catch (error) {
      if (error instanceof RelayError) return '';
      throw error;
    }
  }

  async function takeUser(caller: Caller, user: ImportedUser, dryRun: boolean): Promise<Taken> {
    const username = normalName(user.username);
    if (!usernamePattern.test(username)) return refused(reason('username_not_usable'));
    const holder = await store.users.findByName(username);
    if (holder) return known(holder.id);
    if (dryRun) return added(0, null);
    try {
      const botIds = [...new Set(user.bot_ids)];
      const { id } = await users.create(caller, { username, role: user.role, botIds });
      return added(id, null);
    } catch (error) {
      return refused(whyOf(error));
    }
  }

  async function takeRoute(caller: Caller, given: ImportedRoute, dryRun: boolean): Promise<Taken> {
    try {
      const route = completeRoute(given);
      const same = (await store.routes.fromBot(route.source_bot_id)).find((known) =>
        routeKey.every((name) => known[name] === route[name]),
      );
      if (same) return known(same.id);
      return added(dryRun ? 0 : (await routes.add(caller, given)).id, null);
    } catch (error) {
      return refused(whyOf(error));
    }
  }

  async function takeModel(model: ImportedModel, dryRun: boolean): Promise<Taken> {
    if ((await llmConfig.show()).api_url !== '') return known(0);
    const wrong = checkCalledUrl(model.api_url, config.backends, modelWords);
    if (wrong) return refused(reason('model_address_wrong', { problem: wrong }));
    try {
      if (!dryRun) await llmConfig.update(model);
      return added(0, null);
    } catch (error) {
      return refused(whyOf(error));
    }
  }

  async function enable(caller: Caller, botId: number): Promise<boolean> {
    const bot = await store.bots.get(botId);
    if (!bot || !(await forgetMark(enableMark(bot.token)))) return false;
    if (bot.disabled) await bots.toggleDisabled(caller, botId);
    return true;
  }

  const forgetMark = (mark: string) =>
    store.engine.write(() => store.settings.removeStep(mark, '1'));

  async function requireBots(ids: ReadonlySet<number>): Promise<void> {
    const found = new Set((await store.bots.list([...ids])).map((bot) => bot.id));
    for (const id of ids) if (!found.has(id)) throw botNotFound(id, 'bot_id');
  }

  async function take(caller: Caller, portion: Portion, dryRun: boolean): Promise<PortionReport> {
    requireEveryBot(caller);
    const history = wholeHistory(portion);
    const ids = botsIn(history);
    if (dryRun) ids.delete(0);
    await requireBots(ids);
    const report: PortionReport = {
      bots: [],
      users: [],
      routes: [],
      model: portion.model ? await takeModel(portion.model, dryRun) : null,
      enabled: [],
      ...(dryRun
        ? await store.history.countNew(history)
        : await store.history.add(history, clock.now())),
    };
    for (const bot of portion.bots ?? []) report.bots.push(await takeBot(caller, bot, dryRun));
    for (const user of portion.users ?? []) {
      report.users.push(await takeUser(caller, user, dryRun));
    }
    for (const route of portion.routes ?? []) {
      report.routes.push(await takeRoute(caller, route, dryRun));
    }
    for (const id of dryRun ? [] : (portion.enable ?? [])) {
      if (await enable(caller, id)) report.enabled.push(id);
    }
    return report;
  }

  return { take: (caller, portion, { dryRun }) => take(caller, portion, dryRun) };
}

/** Returns the settings that this service accepts, and why it does not accept the others. */
function usable(
  given: ImportedBot,
  backends: Config['backends'],
): { settings: Partial<BotSettings>; problem: Reason | null } {
  const { token: _token, next_update_id: _next, disabled: _disabled, ...settings } = given;
  let problem: Reason | null = null;
  settings.name = toLine(settings.name).slice(0, limits.nameLength);
  settings.description = settings.description.slice(0, limits.descriptionLength);
  if (!secretPattern.test(settings.secret_token)) {
    problem = reason('secret_left_out');
    settings.secret_token = '';
  }
  const wrong =
    settings.backend_url === '' ? undefined : checkBackendUrl(settings.backend_url, backends);
  if (wrong) {
    problem = reason('backend_left_out', { problem: wrong });
    settings.backend_url = '';
  }
  if (settings.backend_url === '') settings.proxy_enabled = false;
  return { settings, problem };
}

/** Two routes are the same if these fields are equal; the other fields may have been changed here. */
const routeKey = [
  'target_bot_id',
  'condition_type',
  'condition_value',
  'action',
  'target_chat_id',
  'source_chat_id',
] as const;

/**
 * The name of a mark that exists while an added bot waits for its history, so that an interrupted
 * import can continue later.
 */
const enableMark = (token: string) => `import_enable:${secretHash(token)}`;

const added = (id: number, problem: Reason | null): Taken => ({ id, outcome: 'added', problem });
const known = (id: number, problem: Reason | null = null): Taken => ({
  id,
  outcome: 'known',
  problem,
});
const refused = (problem: Reason): Taken => ({ id: 0, outcome: 'refused', problem });

/** Returns why the service refused an entry; any other error is thrown. */
function whyOf(error: unknown): Reason {
  if (!(error instanceof RelayError)) throw error;
  if (error.code === 'database_unavailable') throw error;
  return error.reason;
}

function wholeHistory(portion: Portion): History {
  const { chats = [], people = [], members = [], messages = [], tags = [], pairs = [] } = portion;
  return { chats, people, members, messages, tags, pairs };
}

function botsIn({ chats, members, messages, pairs }: History): Set<number> {
  return new Set([
    ...[...chats, ...members, ...messages].map((row) => row.bot_id),
    ...pairs.flatMap((pair) => [pair.bot_id, pair.peer_bot_id]),
  ]);
}
