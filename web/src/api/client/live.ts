import type { EventType, StreamedEvent } from '../../../../src/core/ports.ts';
import type { TimeBucket } from '../../../../src/api-types.ts';

/*
 * Keeps one stream of events for the whole page. The browser reconnects by itself after a lost
 * connection; after a rejection (session ended, service restarting) it does not, so this module
 * does. It also reconnects after a long silence, as a connection that broke on the way ends without
 * an event. A hidden page closes its connection: browsers have six for all tabs of a service.
 */
export type LiveState = 'connecting' | 'on' | 'off';

/** The live metrics of the service, every two seconds. */
export type LiveBucket = TimeBucket;

const types: Record<EventType, true> = {
  message: true,
  bot: true,
  delivery: true,
  route: true,
  chat: true,
  'chat.writing': true,
  question: true,
  'alert.opened': true,
  'alert.changed': true,
  'alert.resolved': true,
};
const firstWaitMs = 1_000;
const maxWaitMs = 15_000;
/** A longer silence is a lost connection: a bucket or heartbeat comes every two seconds. */
const silentMs = 20_000;
/** After this long without an event, with a failed or unanswered connection, the service is unreachable. */
const lostAfterMs = { quiet: 7_000, failed: 3_000, connecting: 5_000 };
const unseenMs = 60_000;
/** True while this tab shows notifications, which it needs events for. */
let isKept = false;

const eventListeners = new Set<(event: StreamedEvent) => void>();
const bucketListeners = new Set<(bucket: LiveBucket) => void>();
const stateListeners = new Set<() => void>();
const openListeners = new Set<() => void>();
const refusedListeners = new Set<() => void>();
let state: LiveState = 'connecting';
let address = '';
let source: EventSource | undefined;
/** The timer of the next reconnect. */
let timer: number | undefined;
let restTimer: number | undefined;
let waitMs = firstWaitMs;
/** The time of the last event, while the service is unreachable. */
let lostSince: number | undefined;
let lostTimer: number | undefined;
/** When that timer fires. */
let lostAt = Number.POSITIVE_INFINITY;
let receivedAt = Date.now();

/** Without live metrics, heartbeats show that the service is there. */
export function startLive(withMetrics: boolean): () => void {
  address = `/api/events?${withMetrics ? 'live_metrics' : 'heartbeats'}=true`;
  connect();
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    window.clearTimeout(restTimer);
    rest();
  };
}

function onVisibility(): void {
  window.clearTimeout(restTimer);
  if (document.hidden && !isKept) restTimer = window.setTimeout(rest, unseenMs);
  else if (!source) connect();
}

/** Says whether the connection stays open while the page is hidden. */
export function keepWhileHidden(isWanted: boolean): void {
  isKept = isWanted;
  if (isWanted || (source && document.hidden)) onVisibility();
}

function rest(): void {
  window.clearTimeout(timer);
  window.clearTimeout(lostTimer);
  lostAt = Number.POSITIVE_INFINITY;
  lostSince = undefined;
  source?.close();
  source = undefined;
  setState('connecting');
}

/** Only events postpone the deadline; failures do not. */
function lostIn(ms: number): void {
  if (lostSince !== undefined || performance.now() + ms >= lostAt) return;
  window.clearTimeout(lostTimer);
  lostAt = performance.now() + ms;
  lostTimer = window.setTimeout(() => {
    lostSince = receivedAt;
    setState('off');
  }, ms);
}

function connectAgainIn(ms: number): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => {
    setState('off');
    connect();
  }, ms);
}

function connect(): void {
  source?.close();
  const opened = new EventSource(address);
  source = opened;
  const markReceived = () => {
    receivedAt = Date.now();
    const wasLost = lostSince !== undefined;
    lostSince = undefined;
    lostAt = Number.POSITIVE_INFINITY;
    lostIn(lostAfterMs.quiet);
    if (wasLost) setState('on');
    connectAgainIn(silentMs);
  };
  connectAgainIn(silentMs);
  lostIn(lostAfterMs.connecting);
  opened.addEventListener('open', () => {
    markReceived();
    waitMs = firstWaitMs;
    setState('on');
    // Events are not repeated after a pause, so all visible data is refetched.
    for (const listener of openListeners) listener();
  });
  opened.addEventListener('error', () => {
    setState('off');
    lostIn(lostAfterMs.failed);
    if (opened.readyState !== EventSource.CLOSED || source !== opened) return;
    connectAgainIn(waitMs);
    waitMs = Math.min(waitMs * 2, maxWaitMs);
    for (const listener of refusedListeners) listener();
  });
  opened.addEventListener('live_metrics', (event: MessageEvent<string>) => {
    markReceived();
    const bucket = JSON.parse(event.data) as LiveBucket;
    for (const listener of bucketListeners) listener(bucket);
  });
  opened.addEventListener('heartbeat', markReceived);
  for (const type of Object.keys(types)) {
    opened.addEventListener(type, (event: MessageEvent<string>) => {
      markReceived();
      const streamed = { type, data: JSON.parse(event.data) } as StreamedEvent;
      for (const listener of eventListeners) listener(streamed);
    });
  }
}

function setState(next: LiveState): void {
  state = next;
  for (const listener of stateListeners) listener();
}

export function onLiveEvent(listener: (event: StreamedEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

export function onLiveBucket(listener: (bucket: LiveBucket) => void): () => void {
  bucketListeners.add(listener);
  return () => bucketListeners.delete(listener);
}

/** Called whenever the stream (re)opens. */
export function onLiveOpen(listener: () => void): () => void {
  openListeners.add(listener);
  return () => openListeners.delete(listener);
}

/** Called when the service rejected the stream: the session may have ended. */
export function onLiveRefused(listener: () => void): () => void {
  refusedListeners.add(listener);
  return () => refusedListeners.delete(listener);
}

export function liveState(): LiveState {
  return state;
}

/** Returns since when the service is unreachable, in milliseconds; undefined while it is reachable. */
export function liveLostSince(): number | undefined {
  return lostSince;
}

export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}
