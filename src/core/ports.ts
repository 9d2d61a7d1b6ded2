/*
 * What the parts ask of each other without knowing each other: `manage` and `http` steer bots and
 * send messages through these; `relay` implements them; `main` hands them over.
 */
import type { Readable } from 'node:stream';
import type { AlertParams } from './ops/alerts.ts';
import type { Reason } from './reasons/reason.ts';

/** The state of a bot, wherever in the cluster it runs. */
export interface BotStatus {
  running: boolean;
  /** '' when there is nothing to complain about. */
  lastError: string;
  /** The same for programs; null where only the sentence is known. */
  lastErrorDetail: Reason | null;
  /** Milliseconds since the epoch, 0 when it was never active. */
  lastActivity: number;
  /** unknown until the backend was first reached or checked; '' when nothing is forwarded. */
  backendStatus: '' | 'ok' | 'unknown' | 'failing' | 'paused';
  /** Why the last delivery or check failed; '' when the backend answers. */
  backendError: string;
  backendErrorDetail: Reason | null;
  /** When backendStatus was last observed, in milliseconds since the epoch; 0 when not known. */
  backendSeenAt: number;
  pendingUpdates: number;
}

export interface BotRunner {
  /**
   * Brings a bot in line with its stored settings: starts, restarts or stops it. Resolves once a
   * bot that must not run has stopped, and once the node that runs it follows the settings or has
   * not answered for seconds; a start goes on in the background. Never rejects: what fails is tried
   * again in the background, as the settings are stored already.
   */
  apply(botId: number): Promise<void>;
  /** Stops a bot permanently and removes its webhook, before its rows are deleted. */
  retire(botId: number): Promise<void>;
  statusOf(botIds: readonly number[]): Promise<Map<number, BotStatus>>;
}

/**
 * Does the work while these readers deliver nothing, on any node; what was in flight is finished and
 * stored by then, as far as it ended within seconds.
 */
export type WhileDrained = <Result>(
  readers: readonly { botId: number; reader: string }[],
  work: () => Promise<Result>,
) => Promise<Result>;

/** One Bot API method call to be sent by the relay itself. */
export interface SendRequest {
  botId: number;
  /** The Bot API method, such as sendMessage. */
  method: string;
  params: Record<string, unknown>;
  /** 0 where the method has no chat. */
  chatId: number;
  /** Interactive sends go before bulk. */
  priority: 'interactive' | 'bulk';
  /** How the stored message came to be. */
  origin: 'sent' | 'routed' | 'answer' | 'hook';
  /** How long the caller waits for its turn under the platform's limits. */
  maxWaitMs?: number;
  signal?: AbortSignal;
}

export interface Sender {
  /**
   * Sends once, at its turn, and resolves with the platform's `result`. Throws RelayError:
   * platform_refused, platform_rate_limited, platform_unreachable (not sent), platform_timeout
   * (outcome unknown, never repeated by itself), bot_disabled.
   */
  send(request: SendRequest): Promise<unknown>;
}

/** Something that happened, sent to listeners (the web UI, API clients). */
export type RelayEvent = {
  [Type in EventType]: { type: Type; botId: number; data: EventData[Type] };
}[EventType];

/** The same as the stream of events carries it. */
export type StreamedEvent = {
  [Type in EventType]: { type: Type; data: EventData[Type] & { bot_id: number } };
}[EventType];

export type EventType = keyof EventData;

interface EventData {
  message: { chat_id: number; id?: number | undefined; kind: string };
  bot: { change: string; state?: string; last_error?: string; last_error_detail?: Reason | null };
  delivery: { backend_status: string } | { reachable: boolean };
  route: { route_id: number; change?: string };
  chat: { chat_id: number; change: string };
  'alert.opened': AlertEventData;
  'alert.changed': AlertEventData;
  'alert.resolved': AlertEventData;
}

interface AlertEventData {
  id: number;
  kind: string;
  severity: string;
  params: AlertParams;
  text: string;
  url: string;
}

export interface EventBus {
  publish(event: RelayEvent): void;
  subscribe(listener: (event: RelayEvent) => void): () => void;
}

/** A file of a Bot API server that runs in its local mode. */
export interface LocalFile {
  sizeBytes: number;
  /** Must be read to its end or destroyed. */
  read(range?: { start: number; end: number }): Readable;
  /** For a file that is not read. */
  close(): Promise<void>;
}

export interface LocalFiles {
  /** Undefined for a path that is not absolute, so not of a local file. */
  open(token: string, filePath: string): Promise<LocalFile | 'not found'> | undefined;
}
