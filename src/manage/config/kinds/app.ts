import {
  appNameProblem,
  type AppSettings,
  defaultAppSettings,
  mostApps,
} from '../../../core/apps/app.ts';
import { type AppFilter, sharedProblem } from '../../../core/apps/app-filter.ts';
import type { EntryOf, FileEntry } from '../../../core/config-file/document.ts';
import { entryKey, isSame } from '../../../core/config-file/plan.ts';
import { appDefaults, type AppInFile } from '../../../core/config-file/sections/bots.ts';
import { readerOf } from '../../../core/log/reader-kinds.ts';
import { updateKinds } from '../../../core/log/update-kinds.ts';
import { reason } from '../../../core/reasons/reason.ts';
import { invalidField } from '../../../errors.ts';
import type { Store } from '../../../store/store.ts';
import {
  appSettingsIn,
  appWebhookIn,
  checkAppBackend,
  checkAppInput,
} from '../../apps/app-input.ts';
import { optionsOf } from '../../apps/app-view.ts';
import { checkSecret, pick, wrongEntry } from '../changes.ts';
import type {
  Changed,
  ConfigKind,
  CurrentConfig,
  Plan,
  Prepared,
  Preparing,
  Stored,
} from '../config-kind.ts';

export const appKind: ConfigKind<'app'> = {
  // Apps are listed inside their bots.
  read: ({ apps }) => Promise.resolve({ part: undefined, records: apps }),
  compare: compareApp,
  prepare: prepareApp,
  remove: ({ apps }, id, nowMs) => apps.removeStep(id, nowMs),
  bots: ({ platformId }) => ({ platform_id: [platformId] }),
  boundBy: ['platform_id'],
  changesBots: true,
  check(plan) {
    checkFilters(plan);
    checkCounts(plan);
  },
};

const appSettingNames = Object.keys(defaultAppSettings) as (keyof AppSettings)[];

export function appInFile(app: Stored['app']): AppInFile {
  return {
    name: app.name,
    ...Object.fromEntries(appSettingNames.map((name) => [name, app[name]])),
    ...optionsOf(app.webhook),
    disabled: app.disabled,
  };
}

async function compareApp(
  entry: EntryOf<'app'>,
  current: CurrentConfig,
  store: Pick<Store, 'apps'>,
): Promise<EntryOf<'app'>> {
  const { token } = entry.given;
  const { allowed_updates: kinds = [] } = entry.fields as Pick<AppInFile, 'allowed_updates'>;
  const hasAll = updateKinds.every((kind) => kinds.includes(kind));
  const fields = { ...entry.fields, allowed_updates: hasAll ? [] : kinds };
  const holder = token === undefined ? undefined : await store.apps.byToken(token);
  const isOwn = holder !== undefined && holder.id === current.stored.app.get(entry.name)?.id;
  return { ...entry, fields: isOwn ? { ...fields, token: undefined } : fields };
}

const standInShape = /^(\d+):[A-Za-z0-9_-]{35}$/;

async function prepareApp(
  { change, fields, given, name: entryName, platformId }: Changed<'app'>,
  { store, config, current }: Preparing,
): Promise<Prepared> {
  const { name, token } = given;
  const before = current.stored.app.get(entryName);
  const problem = appNameProblem(name);
  if (problem) throw invalidField('name', problem);
  checkAppInput(given);
  checkSecret(given);
  const settings = appSettingsIn(fields) as AppSettings;
  checkAppBackend(before ?? defaultAppSettings, settings, config.backends);
  const webhook = appWebhookIn(webhookInputOf(settings, fields), settings, {
    before: before?.webhook,
    keepsBackend: settings.backend_url === before?.backend_url,
  });
  if (token !== undefined && change.fields.includes('token') === (before !== undefined)) {
    if (Number(standInShape.exec(token)?.[1]) !== platformId) {
      throw invalidField('token', reason('not_a_stand_in_token'));
    }
    // An app that the same file deletes is not in `current`.
    const holder = await store.apps.byToken(token);
    const isHeld = [...current.stored.app.values()].some(({ id }) => id === holder?.id);
    if (isHeld || (await store.bots.byToken(token))) {
      throw invalidField('token', reason('value_taken'));
    }
  }
  const isToggled = before ? change.fields.includes('disabled') : given.disabled === true;
  if (!before) {
    return {
      *write({ botIds, nowMs }) {
        const botId = botIds.get(platformId) as number;
        const app = { botId, name, token: token ?? '', settings, patch: {}, ...webhook };
        const { id } = yield* store.apps.insertStep(app, nowMs);
        if (isToggled) yield* store.apps.toggleStep(id, nowMs);
      },
    };
  }
  const { id, bot_id: botId, mode } = before;
  const isHandedOver = mode === 'webhook' && change.fields.includes('mode');
  return {
    *write({ nowMs }) {
      yield* store.apps.updateStep(id, { patch: settings, ...webhook }, nowMs);
      if (token !== undefined && change.fields.includes('token')) {
        yield* store.apps.setTokenStep(id, token, nowMs);
      }
      if (isToggled) yield* store.apps.toggleStep(id, nowMs);
    },
    drains: isHandedOver ? [{ botId, reader: readerOf('push', name) }] : [],
  };
}

/** The options of a webhook need the mode webhook; their defaults are allowed in any mode. */
function webhookInputOf({ mode }: AppSettings, fields: Readonly<Record<string, unknown>>) {
  const options = pick(fields, ['max_connections', 'allowed_updates']);
  const { max_connections, allowed_updates } = appDefaults;
  const hasNone = isSame(options, { max_connections, allowed_updates });
  return mode !== 'webhook' && hasNone ? {} : options;
}

/** The apps of a bot share the time that their filters take. */
function checkFilters({ changes, entries }: Plan): void {
  const changed = new Set(changes.map(entryKey));
  const filterOf = ({ fields }: FileEntry) => (fields['filter'] ?? {}) as AppFilter;
  const apps = entries.filter((entry) => entry.kind === 'app');
  for (const ofBot of Map.groupBy(apps, ({ platformId }) => platformId).values()) {
    const all = ofBot.map(filterOf);
    for (const entry of ofBot.filter((one) => changed.has(entryKey(one)))) {
      const tooMuch = sharedProblem(all, filterOf(entry));
      if (tooMuch) throw wrongEntry(entry, `filter.${tooMuch.field}`, tooMuch.problem);
    }
  }
}

function checkCounts({ entries, staying }: Plan): void {
  const apps = entries.filter((entry) => entry.kind === 'app');
  for (const ofBot of Map.groupBy(apps, ({ platformId }) => platformId).values()) {
    const added = ofBot.find(({ name }) => !staying.stored.app.has(name));
    if (!added || ofBot.length <= mostApps) continue;
    throw wrongEntry(added, '', reason('too_many_apps', { most: mostApps }), 'too_many_apps');
  }
}
