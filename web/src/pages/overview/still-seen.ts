/** The count of each alert when it was dismissed. */
export type Dismissed = Record<string, number>;

interface Counted {
  kind: string;
  bot_id: number;
  count: number;
  reader?: string;
  route_id?: number;
}

/** Forgets dismissals of resolved alerts; a smaller count replaces the stored one. */
export function stillDismissed(dismissed: Dismissed, alerts: readonly Counted[]): Dismissed {
  const present = new Map(alerts.map((alert) => [keyOf(alert), alert.count]));
  return Object.fromEntries(
    Object.entries(dismissed).flatMap(([key, count]) => {
      const now = present.get(key);
      return now === undefined ? [] : [[key, Math.min(count, now)]];
    }),
  );
}

export function keyOf({ bot_id, kind, reader, route_id }: Counted): string {
  return [kind, bot_id, reader ?? route_id ?? ''].join(':');
}
