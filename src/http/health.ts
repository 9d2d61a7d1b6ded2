import { type Reason, reason, reasonText } from '../core/reasons/reason.ts';
import { Type } from 'typebox';
import type { Clock } from '../clock.ts';
import { isOutage } from '../errors.ts';
import { type Endpoint, get } from './endpoint.ts';
import { Detail, List } from './schemas.ts';

/** A check that must succeed before the service takes requests. */
export interface ReadinessCheck {
  name: 'database' | 'bots';
  check(): Promise<void>;
}

const checkTimeoutMs = 2_000;

export function healthEndpoints(deps: {
  clock: Clock;
  checks: readonly ReadinessCheck[];
  stopping: AbortSignal;
}): Endpoint[] {
  async function problemOf({ name, check }: ReadinessCheck): Promise<Reason | undefined> {
    const timeout = new AbortController();
    try {
      const late = deps.clock.sleep(checkTimeoutMs, timeout.signal).then(() => 'late' as const);
      late.catch(() => {});
      const outcome = await Promise.race([check(), late]);
      return outcome === 'late' ? reason('check_silent', { check: name }) : undefined;
    } catch (error) {
      return isOutage(error) ? error.reason : reason('check_failed', { check: name });
    } finally {
      timeout.abort();
    }
  }

  return [
    get('Operation', '/healthz', {
      scope: 'public',
      unlimited: true,
      summary: 'Check that the process is alive',
      response: Type.Object({ status: Type.String({ examples: ['ok'] }) }),
      handler: async () => ({ status: 'ok' }),
    }),
    get('Operation', '/readyz', {
      scope: 'public',
      unlimited: true,
      summary: 'Check that the service is ready',
      description:
        'Returns 503 with the reasons while the database is unavailable or the service is stopping.',
      response: Type.Object({
        status: Type.String({ examples: ['ready'] }),
        reasons: List(Type.String(), 'Why it is not ready; empty if ready.'),
        reasons_detail: Type.Array(Detail('each of reasons')),
      }),
      async handler({ raw }) {
        const problems = await Promise.all(deps.checks.map(problemOf));
        const reasons = problems.filter((problem) => problem !== undefined);
        if (deps.stopping.aborted) reasons.push(reason('service_stopping'));
        if (reasons.length > 0) raw.reply.code(503);
        return {
          status: reasons.length > 0 ? 'not ready' : 'ready',
          reasons: reasons.map(reasonText),
          reasons_detail: reasons,
        };
      },
    }),
  ];
}
