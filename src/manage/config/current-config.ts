import { defaultApp } from '../../core/apps/app.ts';
import {
  type ConfigDocument,
  entriesOf,
  type EntryKind,
  entryKinds,
  sectionOf,
} from '../../core/config-file/document.ts';
import { entryKey } from '../../core/config-file/plan.ts';
import { selfSetPart } from '../../core/config-file/self-set.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import { readerOfApp } from '../apps/app-view.ts';
import type { ConfigDeps, CurrentConfig, Reading, Stored } from './config-kind.ts';
import { kindOf } from './config-kinds.ts';

export async function readCurrentConfig({
  store,
  llmConfig,
}: Pick<ConfigDeps, 'store' | 'llmConfig'>): Promise<CurrentConfig> {
  const { bots, apps } = await readBots(store);
  const platformIds = new Map(bots.map((bot) => [bot.id, bot.platform_id]));
  const reading: Reading = {
    store,
    llmConfig,
    bots,
    apps,
    platformIdOf: (id) => platformIds.get(id) ?? 0,
    platformIdsOf: (ids) => ids.flatMap((id) => platformIds.get(id) ?? []).sort((a, b) => a - b),
  };
  const parts: Record<string, unknown> = {};
  const records = new Map<string, readonly Stored[keyof Stored][]>();
  for (const kind of entryKinds) {
    const read = await kindOf({ kind }).read(reading);
    if (read.part !== undefined) parts[sectionOf[kind]] = read.part;
    records.set(kind, read.records);
  }
  const document: ConfigDocument = { version: 1, ...parts };
  const entries = entriesOf(document);
  const byKind = Map.groupBy(entries, ({ kind }) => kind);
  const stored = Object.fromEntries(
    entryKinds.map((kind): [EntryKind, ReadonlyMap<string, unknown>] => {
      const named = byKind.get(kind) ?? [];
      return [kind, new Map(named.map(({ name }, index) => [name, records.get(kind)?.[index]]))];
    }),
  ) as CurrentConfig['stored'];
  const own = entries
    .filter((entry) => entry.kind === 'bot' || entry.kind === 'app')
    .filter(({ kind, name }) => stored[kind].get(name)?.webhook?.isSelfSet);
  const selfSet = new Map(own.map((entry) => [entryKey(entry), selfSetPart(entry)]));
  return { document, entries, stored, selfSet };
}

async function readBots(store: Store): Promise<Pick<Reading, 'apps' | 'bots'>> {
  const list = [...(await store.bots.list())].sort((a, b) => a.platform_id - b.platform_id);
  requireOneOfEach(list);
  const bots: Stored['bot'][] = [];
  const apps: Stored['app'][] = [];
  for (const bot of list) {
    const webhooks = await store.webhooks.list(bot.id);
    bots.push({ ...bot, webhook: webhooks.get(pushReader) });
    for (const app of await store.apps.list(bot.id)) {
      if (app.name === defaultApp) continue;
      const reader = readerOfApp(app);
      apps.push({ ...app, webhook: reader === undefined ? undefined : webhooks.get(reader) });
    }
  }
  return { apps, bots };
}

/** The file identifies bots by platform ID, but earlier versions accepted a second bot with the same one. */
function requireOneOfEach(bots: readonly BotRecord[]): void {
  for (const [platformId, same] of Map.groupBy(bots, (bot) => bot.platform_id)) {
    if (same.length === 1) continue;
    const bot_ids = same.map(({ id }) => id).sort((a, b) => a - b);
    throw new RelayError('conflict', reason('bots_share_id', { bot_ids, platform_id: platformId }));
  }
}
