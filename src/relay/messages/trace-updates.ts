/*
 * Finds out what became of updates: which readers got them, what the routes decided, and the sends
 * that this led to. Everything is read from what the readers store anyway.
 */
import type { Caller } from '../../core/access/access.ts';
import { defaultApp } from '../../core/apps/app.ts';
import type { Sees } from '../../core/apps/claims.ts';
import { readState, wants } from '../../core/log/consumer-state.ts';
import { readReaderState } from '../../core/log/push-progress.ts';
import { inRanges } from '../../core/log/ranges.ts';
import {
  isKnownReader,
  readerApp,
  readerKind,
  routingReader,
} from '../../core/log/reader-kinds.ts';
import { markOf, type MessageMark, type ReceiverState } from '../../core/messages/message-mark.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { StoredWebhook } from '../../store/delivery/webhooks.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type {
  TracedDeadLetter,
  TracedReader,
  TracedRetry,
} from '../../store/messages/message-traces.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';
import type { Store } from '../../store/store.ts';
import { type AppReaders, type LogView, ownView } from '../apps/app-readers.ts';
import { wantsOf } from '../delivery/allowed-updates-history.ts';
import { answerKey } from '../delivery/answer-intent.ts';
import type { DecisionView, RoutingService } from '../routing/routing-service.ts';

/** A backend or a client for which an update is. */
export interface Receiver {
  kind: 'push' | 'pull';
  reader: string;
  app: string;
  state: ReceiverState;
  retry?: TracedRetry | undefined;
  deadLetter?: TracedDeadLetter | undefined;
}

export interface TracedUpdate {
  position: number;
  /** Undefined once retention removed it. */
  entry: LogEntry | undefined;
  receivers: Receiver[];
  /** True if the routes have yet to read it. */
  waitsForRoutes: boolean;
  decision: DecisionView | undefined;
  /** The Bot API calls that backends answered it with. */
  answers: OutboxRecord[];
}

export interface TraceDeps {
  store: Pick<Store, 'messageTraces' | 'outbox' | 'patterns' | 'webhooks'>;
  apps: AppReaders;
  routing: Pick<RoutingService, 'decisionsAt'>;
}

/** Filters are tested on this many updates before other work gets a turn. */
const perTurn = 20;

export async function traceUpdates(
  { store, apps, routing }: TraceDeps,
  caller: Caller,
  bot: BotRecord,
  positions: readonly number[],
): Promise<Map<number, TracedUpdate>> {
  if (positions.length === 0) return new Map();
  const { messageTraces: traces } = store;
  const [readers, reading, webhooks, decisions] = await Promise.all([
    traces.readers(bot.id),
    apps.list(bot),
    store.webhooks.list(bot.id),
    routing.decisionsAt(caller, bot.id, positions),
  ]);
  const needsText = reading.some((app) => app.needsText);
  const pushing = readers.filter(({ name }) => isKnownReader(name) && readerKind(name) === 'push');
  const names = pushing.map(({ name }) => name);
  const [entries, retries, deadLetters, answers] = await Promise.all([
    traces.updates(bot.id, positions, needsText),
    traces.retries(bot.id, names, positions),
    traces.deadLetters(bot.id, names, positions),
    store.outbox.byKeys(answerKeys(bot.id, names, positions)),
  ]);
  const views = new Map<string, LogView>(reading.map((view) => [view.app.name, view]));
  views.set(defaultApp, ownView);
  const receiving = readers.flatMap((reader) => {
    const view = isKnownReader(reader.name) ? views.get(readerApp(reader.name)) : undefined;
    return view ? [receivingOf(reader, view, webhooks.get(reader.name))] : [];
  });
  // The first part of an album was decided for all of them.
  const albums = decisions.flatMap(({ matched, reason_detail: why }) =>
    why?.code === 'with_album' && matched.length === 0 ? why.params.position : [],
  );
  const leads =
    albums.length === 0 ? [] : await routing.decisionsAt(caller, bot.id, [...new Set(albums)]);
  const decisionAt = (position: number) => {
    const own = decisions.find((decision) => decision.position === position);
    const why = own?.reason_detail;
    if (why?.code !== 'with_album' || own?.matched.length !== 0) return own;
    return leads.find((lead) => lead.position === why.params.position) ?? own;
  };
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]));
  const retryAt = new Map(retries.map((retry) => [keyOf(retry), retry]));
  const letterAt = new Map(deadLetters.map((letter) => [keyOf(letter), letter]));
  const routes = readers.find(({ name }) => name === routingReader);

  const traced = new Map<number, TracedUpdate>();
  for (const [index, position] of positions.entries()) {
    if (index % perTurn === perTurn - 1) await store.patterns.slices.next();
    const entry = byPosition.get(position);
    const receivers: Receiver[] = [];
    for (const reader of receiving) {
      const key = keyOf({ reader: reader.name, position });
      const waiting = { retry: retryAt.get(key), deadLetter: letterAt.get(key) };
      const state = stuckState(waiting) ?? (entry && (await stateFor(reader, entry)));
      const { kind, name, app } = reader;
      if (state) receivers.push({ kind, reader: name, app, state, ...waiting });
    }
    traced.set(position, {
      position,
      entry,
      receivers,
      waitsForRoutes:
        routes !== undefined && position > routes.opened && position > routes.position,
      decision: decisionAt(position),
      answers: names.flatMap((name) => answers.get(answerKey(bot.id, name, position)) ?? []),
    });
  }
  return traced;
}

const keyOf = ({ reader, position }: { reader: string; position: number }) =>
  `${reader} ${position}`;

/** The backend of an app seldom answers with a call, and keys are cheap to look up. */
const mostKeys = 2_000;
const answerKeys = (botId: number, readers: readonly string[], positions: readonly number[]) =>
  positions
    .flatMap((position) => readers.map((reader) => answerKey(botId, reader, position)))
    .slice(0, mostKeys);

interface Receiving {
  kind: Receiver['kind'];
  name: string;
  app: string;
  opened: number;
  sees: Sees;
  wants(entry: LogEntry): boolean;
  isFinished(position: number): boolean;
  /** An update that it has not finished waits for it. */
  isAwaited: boolean;
}

function receivingOf(
  reader: TracedReader,
  view: LogView,
  webhook: StoredWebhook | undefined,
): Receiving {
  const { name, opened, position: cursor } = reader;
  const app = readerApp(name);
  // The bot's own queue exists even if no client ever polls, and a client that confirmed nothing
  // only had a look; an app was added in order to read.
  const isRead = reader.isUsed && (readerKind(name) !== 'pull' || cursor !== opened);
  const isAwaited = reader.isOn && (isRead || app !== defaultApp);
  const common = { name, app, opened, sees: view.sees, isAwaited };
  if (readerKind(name) === 'pull') {
    const state = readState(reader.state);
    return {
      ...common,
      kind: 'pull',
      wants: (entry) => wants(state, view.kinds, entry),
      isFinished: (position) => position <= cursor,
    };
  }
  const { finished } = readReaderState(reader.state);
  return {
    ...common,
    kind: 'push',
    wants: webhook ? wantsOf(webhook.allowedUpdatesHistory, view.kinds) : () => true,
    isFinished: (position) => position <= cursor || inRanges(finished, position),
  };
}

/** The state of an update that failed before; undefined for others. */
function stuckState({
  retry,
  deadLetter,
}: Pick<Receiver, 'retry' | 'deadLetter'>): ReceiverState | undefined {
  if (retry || deadLetter?.isReplayed) return 'waiting';
  return deadLetter && 'failed';
}

/** Undefined if the update is not for this reader. */
async function stateFor(reader: Receiving, entry: LogEntry): Promise<ReceiverState | undefined> {
  if (entry.position <= reader.opened) return undefined;
  await reader.sees.ready?.(entry);
  if (!reader.sees(entry) || !reader.wants(entry)) return undefined;
  if (reader.isFinished(entry.position)) return 'delivered';
  return reader.isAwaited ? 'waiting' : undefined;
}

export function markOfUpdate(traced: TracedUpdate): MessageMark {
  const { entry, receivers, decision, answers, waitsForRoutes } = traced;
  const states: ReceiverState[] = [
    ...receivers.map(({ state }) => state),
    ...answers.map(({ state }) => stateOfSend(state)),
    ...stateOfDecision(decision),
    ...(waitsForRoutes && !decision ? (['waiting'] as const) : []),
  ];
  if (!entry && states.length === 0) return 'none';
  return markOf(states);
}

export function stateOfSend(state: string): ReceiverState {
  if (state === 'failed' || state === 'unknown') return 'failed';
  return state === 'sent' ? 'delivered' : 'waiting';
}

function stateOfDecision(decision: DecisionView | undefined): ReceiverState[] {
  if (!decision) return [];
  const { outcome, delivery } = decision;
  if (outcome === 'failed' || delivery === 'failed' || delivery === 'unknown') return ['failed'];
  if (outcome === 'asking' || delivery === 'pending') return ['waiting'];
  return delivery === 'sent' ? ['delivered'] : [];
}
