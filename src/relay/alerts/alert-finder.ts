/*
 * Finds what is wrong at the moment. Each cause is one condition: a backlog behind a backend that
 * is down is not a second one, nor is a failing route from or to a disabled bot.
 */
import type { Clock } from '../../clock.ts';
import {
  type AlertCause,
  type AlertKind,
  alertKindNames,
  type AlertParams,
  byUrgency,
  type Condition,
  type Evidence,
  kindOf,
} from '../../core/alerts/alerts.ts';
import { maskAddressesIn, maskReason } from '../../core/bots/bot-token.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import { type Reason, reasonText } from '../../core/reasons/reason.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { causesOf } from './alert-causes.ts';
import { backendFinders } from './finders/backends.ts';
import { botFinders } from './finders/bots.ts';
import { readerFinders } from './finders/readers.ts';
import { sendFinders } from './finders/sends.ts';
import { serviceFinders } from './finders/service.ts';
import type { Finder, FinderDeps, Found, View } from './finders/view.ts';

/** How each kind is found. Kinds that exclude each other share a finder. */
const finders: Record<AlertKind, Finder> = {
  ...botFinders,
  ...backendFinders,
  ...readerFinders,
  ...sendFinders,
  ...serviceFinders,
};

export interface AlertFinder {
  /** Returns all conditions, the most severe first. */
  all(): Promise<Condition[]>;
  /** Returns those of live kinds for these bots, null for all; in no order. */
  live(botIds: readonly number[] | null): Promise<Condition[]>;
}

/** Sends and losses within this time count. */
const recentMs = 24 * 3_600_000;
/** These kinds already name the cause of a reader being behind. */
const behindKinds = new Set<AlertKind>([
  'backend_down',
  'backlog',
  'chats_in_retry',
  'polling_stopped',
  'reader_failing',
]);

const allFinders = new Set(Object.values(finders));
const liveFinders = new Set(
  alertKindNames.filter((kind) => kindOf(kind).found === 'live').map((kind) => finders[kind]),
);

export function createAlertFinder({ clock, ...deps }: FinderDeps & { clock: Clock }): AlertFinder {
  const { alertFacts, bots, runtime } = deps.store;

  async function viewOf(botIds: readonly number[] | null): Promise<View> {
    const nowMs = clock.now();
    const shown = await bots.list(botIds);
    const ids = shown.map(({ id }) => id);
    const [statusOf, facts] = await Promise.all([
      deps.statusOf(ids),
      alertFacts.all(nowMs - recentMs),
    ]);
    // Most bots have no error, whatever their number.
    const failing = ids.filter((id) => (statusOf.get(id)?.lastError ?? '') !== '');
    const states = failing.length > 0 ? await runtime.get(failing) : [];
    return {
      ...facts,
      nowMs,
      bots: shown,
      botOf: new Map(shown.map((bot) => [bot.id, bot])),
      stateOf: new Map(states.map((state) => [state.botId, state])),
      statusOf,
      deadOf: Map.groupBy(facts.deadLetters, ({ botId }) => botId),
      slowOf: Map.groupBy(facts.slowReaders, ({ botId }) => botId),
      waitingOf: Map.groupBy(facts.waitingChats, ({ botId }) => botId),
    };
  }

  async function find(
    botIds: readonly number[] | null,
    wanted: ReadonlySet<Finder>,
  ): Promise<Condition[]> {
    const view = await viewOf(botIds);
    const found = await Promise.all([...wanted].map(async (finder) => finder(view, deps)));
    const known = found.flat().filter(({ botId = 0 }) => botId === 0 || view.botOf.has(botId));
    const causes = await causesOf(known, view.botOf, alertFacts);
    const conditions = known.map((one) =>
      conditionOf(one, view.botOf.get(one.botId ?? 0), causes.get(one)),
    );
    return withoutEffects(conditions);
  }

  return {
    all: async () => (await find(null, allFinders)).toSorted(byUrgency),
    live: (botIds) => find(botIds, liveFinders),
  };
}

function conditionOf(
  { botId = 0, evidence, kind, since, ...found }: Found,
  bot: BotRecord | undefined,
  cause: AlertCause | undefined,
) {
  const { count = 0, ...others } = found.params ?? {};
  const params: AlertParams = {
    ...(bot ? { bot: bot.name || bot.username || `Bot ${botId}` } : {}),
    ...(count === 0 ? {} : { count }),
    ...others,
    ...(evidence ? said(evidence) : {}),
    ...(cause ? { cause } : {}),
  };
  const { subject } = kindOf(kind);
  return {
    kind,
    botId,
    subject: found.subject ?? String((subject && params[subject]) ?? ''),
    params,
    ...(since ? { since } : {}),
    ...(evidence ? { evidence } : {}),
  } satisfies Condition;
}

/** Returns what the evidence adds to the sentence. Addresses are masked, because alerts leave the service. */
function said({ reason, reasonDetail, text, textDetail }: Evidence): AlertParams {
  if (reason === undefined) return whyOf(textDetail, text);
  const host = URL.parse(text)?.host ?? '';
  if (host === '') return whyOf(reasonDetail, reason);
  // The address is left out where the host is named.
  const isShort = reasonDetail && 'address' in reasonDetail.params;
  const short = { ...reasonDetail, params: { ...reasonDetail?.params, address: '' } } as Reason;
  return { host, ...whyOf(reasonDetail, isShort ? reasonText(short) : reason) };
}

function whyOf(detail: Reason | undefined, text: string): AlertParams {
  const masked = maskReason(detail ?? null);
  if (text === '') return {};
  return { why: maskAddressesIn(text), ...(masked ? { why_detail: masked } : {}) };
}

function withoutEffects(conditions: Condition[]): Condition[] {
  const readerOf = ({ botId, params }: Condition) => `${botId} ${params.reader ?? pushReader}`;
  const explained = new Set(
    conditions.filter(({ kind }) => behindKinds.has(kind)).map((one) => readerOf(one)),
  );
  return conditions.filter((one) => one.kind !== 'reader_lag' || !explained.has(readerOf(one)));
}
