/*
 * Interfaces between parts that do not import each other: `manage` and `http` control bots and send
 * messages through these; `relay` implements them; `main` connects them.
 */
import type { Readable } from 'node:stream';
import type { AlertParams } from './alerts/alerts.ts';
import type { SendPriority } from './messages/send-class.ts';
import type { Author } from './messages/author.ts';
import type { QuestionState } from './questions/question.ts';
import type { Reason } from './reasons/reason.ts';

/** The state of a bot, regardless of the node that runs it. */
export interface BotStatus {
  running: boolean;
  /** '' if there is no error. */
  lastError: string;
  /** The same as a code for clients; null if only the sentence is known. */
  lastErrorDetail: Reason | null;
  /** Milliseconds since the epoch, 0 when it was never active. */
  lastActivity: number;
  /** unknown until the backend was first reached or checked; '' if nothing is forwarded. */
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
   * not answered for seconds; a start continues in the background. Never rejects: failures are
   * retried in the background, as the settings are stored already.
   */
  apply(botId: number): Promise<void>;
  /** Stops a bot permanently and removes its webhook, before its rows are deleted. */
  retire(botId: number): Promise<void>;
  statusOf(botIds: readonly number[]): Promise<Map<number, BotStatus>>;
}

/**
 * Does the work while these readers deliver nothing, on any node. Deliveries in flight are finished
 * and stored before that, if they end within seconds.
 */
export type WhileDrained = <Result>(
  readers: readonly { botId: number; reader: string }[],
  work: () => Promise<Result>,
) => Promise<Result>;

/** A Bot API method call that the relay makes itself. */
export interface SendRequest {
  botId: number;
  /** The Bot API method, such as sendMessage. */
  method: string;
  params: Record<string, unknown>;
  /** 0 for methods without a chat. */
  chatId: number;
  priority: SendPriority;
  /** The cause of the stored message. */
  origin: 'sent' | 'routed' | 'answer' | 'hook' | 'gateway';
  author: Author;
  /** The app that makes the call; left out or 0 for the bot itself. */
  appId?: number;
  /** How long the caller waits for sending limits. */
  maxWaitMs?: number;
  signal?: AbortSignal;
  /** The parameters of sends by the same method, each made once the one before was sent. */
  following?: readonly Record<string, unknown>[];
}

export interface Sender {
  /**
   * Sends once, as soon as the sending limits allow, and resolves with Telegram's `result`. Throws
   * RelayError: platform_refused, platform_rate_limited, platform_unreachable (not sent),
   * platform_timeout (outcome unknown, never repeated automatically), bot_disabled.
   */
  send(request: SendRequest): Promise<unknown>;
}

export interface PartsSender extends Sender {
  /**
   * Sends, and then as many times as there are further parameters. Resolves with Telegram's `result`
   * of the first send and the IDs of all messages. Throws as `send` does; if only the first sends
   * succeeded, platform_timeout.
   */
  sendParts(
    request: SendRequest,
    following: readonly Record<string, unknown>[],
  ): Promise<{ result: unknown; messageIds: number[] }>;
}

/** Something that happened, sent to listeners (the web UI, API clients). */
export type RelayEvent = {
  [Type in EventType]: { type: Type; botId: number; data: EventData[Type] };
}[EventType];

/** The form of an event in the event stream. */
export type StreamedEvent = {
  [Type in EventType]: { type: Type; data: EventData[Type] & { bot_id: number } };
}[EventType];

export type EventType = keyof EventData;

export interface EventData {
  message: {
    chat_id: number;
    id?: number | undefined;
    kind: string;
    message_thread_id?: number;
    author?: Author;
  };
  bot: { change: string; state?: string; last_error?: string; last_error_detail?: Reason | null };
  delivery: { backend_status: string } | { reachable: boolean };
  route: { route_id: number; change?: string };
  chat: { chat_id: number; message_thread_id?: number; change: string };
  /** Somebody writes an answer. */
  'chat.writing': { chat_id: number; message_thread_id?: number; author: Author };
  question: { id: number; chat_id: number; state: QuestionState };
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
  publish<Type extends EventType>(type: Type, botId: number, data: EventData[Type]): void;
  subscribe(listener: (event: RelayEvent) => void): () => void;
}

/** A file of a Bot API server that runs in local mode. */
export interface LocalFile {
  sizeBytes: number;
  /** The stream must be read to its end or destroyed. */
  read(range?: { start: number; end: number }): Readable;
  /** Closes a file that is not read. */
  close(): Promise<void>;
}

export interface LocalFiles {
  /** Undefined for a path that is not absolute, which is therefore no local file. */
  open(token: string, filePath: string): Promise<LocalFile | 'not found'> | undefined;
}
