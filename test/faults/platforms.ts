/* Fault 2: the platform answers polls in every wrong way. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PlatformCall, Update } from '../invariants/support/held-platform.ts';
import { atMost, counted, type FaultOptions, type FaultResult } from './result.ts';
import { heldAgain, underLoad } from './under-load.ts';

const badMs = 20_000;
/** The longest wait after failed polls is 30 s. */
const backAgainMs = 45_000;
const healthyMs = 5_000;

type Answer = (call: PlatformCall, held: readonly Update[]) => void;

const fail =
  (error_code: number, description: string, parameters?: object): Answer =>
  (call) =>
    call.answer(error_code, { ok: false, error_code, description, parameters });
const result =
  (made: (held: readonly Update[]) => unknown): Answer =>
  (call, held) =>
    call.answer(200, { ok: true, result: made(held) });

const badPlatforms: Record<string, Answer> = {
  '500': fail(500, 'Internal Server Error'),
  '502 in HTML': (call) => call.say(502, '<html>Bad Gateway</html>'),
  '429': fail(429, 'Too Many Requests: retry after 2', { retry_after: 2 }),
  '409': fail(409, 'Conflict: terminated by other getUpdates request'),
  'connection cut': (call) => call.cut(),
  'no answer': () => {},
  'half an answer': (call) => call.say(200, '{"ok":true,"result":[{"update_id":', true),
  'no JSON': (call) => call.say(200, 'ok'),
  'result without updates': result(() => ({ updates: 0 })),
  'updates twice, and some that are none': result((held) => [{ hello: 1 }, ...held, null, ...held]),
};

export function runBadPlatforms(options: FaultOptions): Promise<FaultResult> {
  const kinds = Object.values(badPlatforms);
  return underLoad(
    { ...options, bots: Math.max(options.bots, 2 * kinds.length + 5) },
    {
      fault: '2: ten kinds of bad platform',
      world: { maxBehind: 400 },
      maxDelayMs: badMs + backAgainMs,
      async during({ world, recover }) {
        const polled = world.bots.filter(({ isWebhook }) => !isWebhook);
        const kindOf = new Map(kinds.map((answer, index) => [polled[index]?.token ?? '', answer]));
        const open = new Set<PlatformCall>();
        let bad = 0;
        world.platform.misbehave = (call, held) => {
          const answer = call.method === 'getUpdates' && kindOf.get(call.token);
          if (!answer) return false;
          bad++;
          open.add(call);
          answer(call, held);
          return true;
        };
        const healthy = polled.slice(kinds.length);
        const from = performance.now();
        const forMs = badMs * options.pace;
        await pause(forMs);
        world.platform.misbehave = () => false;
        for (const call of open) call.cut();
        const late = healthy.flatMap((bot) =>
          bot.offered.filter(
            ({ id, at }) => at > from && at < from + forMs - healthyMs && !bot.arrived.has(id),
          ),
        );
        return [
          counted('bad answers', bad),
          counted('healthy bots', healthy.length),
          atMost(`updates of healthy bots later than ${healthyMs / 1_000} s`, late.length, 0),
          heldAgain(await recover(backAgainMs), backAgainMs),
        ];
      },
    },
  );
}
