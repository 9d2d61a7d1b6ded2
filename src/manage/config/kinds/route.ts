import type { RouteInFile } from '../../../core/config-file/sections/routes.ts';
import { entryKey } from '../../../core/config-file/plan.ts';
import { reason } from '../../../core/reasons/reason.ts';
import { isTooMuch } from '../../../core/routing/conditions.ts';
import { completeRoute } from '../../routing/routes.ts';
import { wrongEntry } from '../changes.ts';
import type { Changed, ConfigKind, Plan, Prepared, Preparing } from '../config-kind.ts';

export const routeKind: ConfigKind<'route'> = {
  async read({ store, platformIdOf }) {
    // The sort is stable, so that the routes of a bot stay in the order in which they act.
    const records = (await store.routes.list()).sort(
      (a, b) => platformIdOf(a.source_bot_id) - platformIdOf(b.source_bot_id),
    );
    const part = records.map(({ id: _id, source_bot_id, target_bot_id, ...route }) => {
      const { action, condition_type, condition_value, source_chat_id, target_chat_id, ...rest } =
        route;
      return {
        source: platformIdOf(source_bot_id),
        target: platformIdOf(target_bot_id),
        action,
        condition_type,
        condition_value,
        source_chat_id,
        target_chat_id,
        ...rest,
      } as RouteInFile;
    });
    return { part, records };
  },
  compare: (entry) => entry,
  prepare: prepareRoute,
  remove: ({ routes }, id) => routes.removeStep(id),
  bots: ({ given }) => ({ source: [given.source], target: [given.target] }),
  boundBy: ['source', 'target'],
  changesBots: true,
  check: checkWeights,
};

function prepareRoute({ given, name }: Changed<'route'>, { store, current }: Preparing): Prepared {
  const { source, target, ...settings } = given;
  completeRoute({ ...settings, source_bot_id: 1, target_bot_id: 1 });
  const before = current.stored.route.get(name);
  return {
    *write({ botIds, nowMs }) {
      const ends = {
        source_bot_id: botIds.get(source) as number,
        target_bot_id: botIds.get(target) as number,
      };
      const route = completeRoute({ ...settings, ...ends });
      yield* before
        ? store.routes.replaceStep(before.id, route, nowMs)
        : store.routes.insertStep(route, nowMs);
    },
  };
}

/** All bots share the time that the conditions of one take. */
function checkWeights({ changes, entries }: Plan): void {
  const changed = new Set(changes.map(entryKey));
  const routes = entries.filter((entry) => entry.kind === 'route');
  for (const [source, ofBot] of Map.groupBy(routes, ({ given }) => given.source)) {
    const isGrown = ofBot.some((entry) => changed.has(entryKey(entry)));
    const enabled = ofBot.filter(({ fields }) => fields['enabled'] === true);
    const full = enabled.map(({ fields }) => ({
      condition_type: String(fields['condition_type']),
      condition_value: String(fields['condition_value']),
    }));
    if (!isGrown || !isTooMuch(full)) continue;
    throw wrongEntry({ kind: 'bot', name: String(source) }, '', reason('routes_too_much'));
  }
}
