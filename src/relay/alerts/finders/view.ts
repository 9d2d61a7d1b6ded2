/* What finders of alerts look at: read once, for the bots of one caller or for all. */
import type { AlertCause, AlertKind, AlertParams, Evidence } from '../../../core/alerts/alerts.ts';
import { defaultApp } from '../../../core/apps/app.ts';
import { readerApp } from '../../../core/log/reader-kinds.ts';
import type { BotStatus } from '../../../core/ports.ts';
import type { Reason } from '../../../core/reasons/reason.ts';
import type { LiveMetricsReader } from '../../../core/stats/live-metrics.ts';
import type { AlertFacts, UpdateOfReader } from '../../../store/alerts/alert-facts.ts';
import type { AlertThresholds } from '../../../store/alerts/alert-conditions.ts';
import type { BotRecord } from '../../../store/bots/bots.ts';
import type { BotRuntimeRecord } from '../../../store/cluster/bot-runtime.ts';
import type { Store } from '../../../store/store.ts';
import type { DeliveryStatus, UnreadByBot } from '../../delivery/delivery-status.ts';

/** What the service knows outside the database. */
export interface FinderDeps {
  store: Pick<
    Store,
    | 'alertChannels'
    | 'alertConditions'
    | 'alertFacts'
    | 'alertLog'
    | 'apps'
    | 'bots'
    | 'desks'
    | 'questions'
    | 'runtime'
    | 'unread'
  >;
  thresholds: AlertThresholds;
  statusOf(botIds: readonly number[]): Promise<ReadonlyMap<number, BotStatus>>;
  /** Reports the status of the backends to which push readers of that name deliver. */
  deliveries(
    botIds: readonly number[],
    reader: string,
    unreadByBot?: UnreadByBot,
  ): Promise<ReadonlyMap<number, DeliveryStatus>>;
  liveMetrics: Pick<LiveMetricsReader, 'buckets'>;
  /** The nodes whose heartbeat stopped. */
  deadNodes(): readonly string[];
  /** Undefined if the file system does not tell. */
  disk(): Promise<{ freeBytes: number; totalBytes: number } | undefined>;
  /** True if the monthly limit of the language model is reached. */
  isBudgetUsed(): Promise<boolean>;
  /** Certificates of backends: the bots that use them, and the days until they end. */
  certificates(): Promise<{ botId: number; host: string; days: number }[]>;
  /** Undefined if backups are recent, or if none are configured. */
  oldBackup(): { days?: number; why?: Reason } | undefined;
}

export interface View extends AlertFacts {
  nowMs: number;
  bots: readonly BotRecord[];
  botOf: ReadonlyMap<number, BotRecord>;
  stateOf: ReadonlyMap<number, BotRuntimeRecord>;
  statusOf: ReadonlyMap<number, BotStatus>;
  /** These facts by bot. */
  deadOf: ReadonlyMap<number, AlertFacts['deadLetters']>;
  slowOf: ReadonlyMap<number, AlertFacts['slowReaders']>;
  waitingOf: ReadonlyMap<number, AlertFacts['waitingChats']>;
}

/** A condition as a finder returns it; what is left out follows from the rest. */
export interface Found {
  kind: AlertKind;
  /** Left out for the service itself. */
  botId?: number;
  params?: AlertParams;
  /** Only if the param of the kind does not tell conditions apart. */
  subject?: string;
  since?: number;
  evidence?: Evidence;
  cause?: FoundCause;
}

/** An update that waits for a reader or failed there, or else the message itself or only its chat. */
export type FoundCause = UpdateOfReader | Omit<AlertCause, 'position'>;

export type Finder = (view: View, deps: FinderDeps) => readonly Found[] | Promise<readonly Found[]>;

/** Names the app of a reader, unless it is the default one. */
export function appOf(reader: string): { app?: string } {
  const app = readerApp(reader);
  return app === '' || app === defaultApp ? {} : { app };
}

/** Names the first update that waits for a reader, of those that are known. */
export function oldestOf(
  ...waiting: ({ reader: string; oldest: number | null } | undefined)[]
): Pick<Found, 'cause'> {
  const [first] = waiting
    .flatMap((one) => (one?.oldest ? { reader: one.reader, position: one.oldest } : []))
    .toSorted((left, right) => left.position - right.position);
  return first ? { cause: first } : {};
}
