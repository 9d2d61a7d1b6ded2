/*
 * Checks from time to time when the certificates of backends end. A backend that could not be
 * checked yet, after a start or while it is down, keeps its last known result.
 */
import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/store.ts';

const dayMs = 24 * 3_600_000;
const askEveryMs = 12 * 3_600_000;
const warnDays = 14;
const mostAsked = 20;

interface Ending {
  askedAt: number;
  /** Undefined if the certificate could not be read. */
  endsAt: number | undefined;
}

export function createBackendCertificates(deps: {
  clock: Clock;
  store: Pick<Store, 'bots' | 'apps' | 'alertConditions'>;
  endOf(address: string): Promise<number | undefined>;
}): () => Promise<{ botId: number; host: string; days: number }[]> {
  const { clock, store } = deps;
  const known = new Map<string, Ending>();

  async function backends(): Promise<{ botId: number; origin: string; host: string }[]> {
    const bots = (await store.bots.list(null)).filter(({ disabled }) => !disabled);
    const withApps = new Set(await store.alertConditions.botsWithBackendApps());
    const addresses = await Promise.all(
      bots.map(async (bot) => [
        ...(bot.proxy_enabled ? [bot.backend_url] : []),
        ...(withApps.has(bot.id) ? await store.apps.list(bot.id) : [])
          .filter(({ disabled, mode }) => !disabled && mode === 'webhook')
          .map(({ backend_url }) => backend_url),
      ]),
    );
    return bots.flatMap(({ id }, index) =>
      (addresses[index] ?? []).flatMap((address) => {
        const url = URL.parse(address);
        return url?.protocol === 'https:' ? { botId: id, origin: url.origin, host: url.host } : [];
      }),
    );
  }

  /**
   * Checks a few at a time in the background: the next look has the answers, and checks the next
   * ones.
   */
  function ask(origins: ReadonlySet<string>): void {
    for (const origin of known.keys()) if (!origins.has(origin)) known.delete(origin);
    const due = [...origins].filter((origin) => {
      const { askedAt } = known.get(origin) ?? { askedAt: Number.NEGATIVE_INFINITY };
      return clock.monotonic() - askedAt >= askEveryMs;
    });
    for (const origin of due.slice(0, mostAsked)) void askOne(origin);
  }

  async function askOne(origin: string): Promise<void> {
    const askedAt = clock.monotonic();
    const before = known.get(origin)?.endsAt;
    known.set(origin, { askedAt, endsAt: before });
    const endsAt = await deps.endOf(origin).catch(() => undefined);
    if (known.has(origin)) known.set(origin, { askedAt, endsAt: endsAt ?? before });
  }

  return async () => {
    const found = await backends();
    ask(new Set(found.map(({ origin }) => origin)));
    const isUnknown = found.some(({ origin }) => known.get(origin)?.endsAt === undefined);
    const open = isUnknown ? await store.alertConditions.openOf('certificate_expiring') : [];
    const told = new Map(open.map((alert) => [`${alert.botId} ${alert.subject}`, alert.params]));
    return found.flatMap(({ botId, host, origin }) => {
      const days = daysLeft(known.get(origin)?.endsAt) ?? told.get(`${botId} ${host}`)?.days;
      return days !== undefined && days < warnDays ? { botId, host, days } : [];
    });
  };

  function daysLeft(endsAt: number | undefined): number | undefined {
    return endsAt === undefined ? undefined : Math.floor((endsAt - clock.now()) / dayMs);
  }
}
