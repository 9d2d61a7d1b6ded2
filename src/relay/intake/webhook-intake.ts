/*
 * Takes what the platform posts to a bot's webhook, on any node. It answers with success only after
 * the update is committed; after any other answer the platform keeps the update and retries.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { readUpdate } from '../../core/log/update-facts.ts';
import type { BotRuntimeRepository, HookGuard } from '../../store/cluster/bot-runtime.ts';
import type { UpdateLog } from '../log/update-log.ts';

/**
 * refused: the secret is wrong, or no webhook is registered. paused: the bot cannot take updates at
 * the moment. malformed: the body is no update.
 */
export type HookOutcome = 'stored' | 'refused' | 'paused' | 'malformed';

export interface WebhookIntake {
  /** True if a call with this secret comes from the platform; called before its body is read. */
  knows(botId: number, secret: string): Promise<boolean>;
  receive(botId: number, secret: string, body: string): Promise<HookOutcome>;
  /** Resolves when no call for the bot is in flight on this node. */
  idle(botId: number): Promise<void>;
  /** Forgets the bot's cached registration, which changed. */
  forget(botId: number): void;
}

export interface WebhookIntakeOptions {
  log: UpdateLog;
  runtime: BotRuntimeRepository;
  clock: Clock;
  active(botId: number): void;
}

// A change on another node may go unnoticed here for this long.
const guardLifetimeMs = 1_000;
const maxGuards = 20_000;

export function createWebhookIntake(options: WebhookIntakeOptions): WebhookIntake {
  const { log, runtime, clock } = options;
  const guards = new Map<number, { guard: HookGuard | undefined; until: number }>();
  const inFlight = new Map<number, Set<Promise<unknown>>>();

  async function guardOf(botId: number): Promise<HookGuard | undefined> {
    const known = guards.get(botId);
    if (known && known.until > clock.monotonic()) return known.guard;
    const guard = await runtime.hookGuard(botId);
    if (guards.size >= maxGuards) guards.clear();
    guards.set(botId, { guard, until: clock.monotonic() + guardLifetimeMs });
    return guard;
  }

  function opens(guard: HookGuard | undefined, secret: string): guard is HookGuard {
    return guard !== undefined && guard.secret !== '' && sameText(guard.secret, secret);
  }

  async function take(botId: number, secret: string, body: string): Promise<HookOutcome> {
    const guard = await guardOf(botId);
    if (!opens(guard, secret)) return 'refused';
    if (guard.disabled) return 'paused';
    const receivedAt = clock.now();
    const raw = body.trim();
    const update = readUpdate(raw, parse(raw), receivedAt);
    if (!update) return 'malformed';
    const outcome = await log.append(botId, [update], { receivedAt });
    if (outcome.status !== 'stored') return 'refused';
    options.active(botId);
    return 'stored';
  }

  return {
    knows: async (botId, secret) => opens(await guardOf(botId), secret),
    async receive(botId, secret, body) {
      const taken = take(botId, secret, body);
      const others = inFlight.get(botId) ?? new Set();
      inFlight.set(botId, others.add(taken));
      try {
        return await taken;
      } finally {
        others.delete(taken);
        if (others.size === 0) inFlight.delete(botId);
      }
    },
    async idle(botId) {
      await Promise.allSettled([...(inFlight.get(botId) ?? [])]);
    },
    forget: (botId) => void guards.delete(botId),
  };
}

/** Compares hashes, so that the time taken reveals neither the length nor the first difference. */
function sameText(left: string, right: string): boolean {
  return timingSafeEqual(hash(left), hash(right));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
