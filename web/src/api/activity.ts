interface Counts {
  received: number;
  sent: number;
  media: number;
}

/** The activity of one bot or one of its chats. */
export interface Stats {
  from: string;
  to: string;
  messages: Counts & { total: number; media_share: number };
  by_day: (Counts & { day: string })[];
  by_hour: (Counts & { hour: string })[];
  active_users: number;
  top_people: {
    user_id: number;
    username: string;
    first_name: string;
    last_name: string;
    messages: number;
  }[];
  responses: { answers: number; median_seconds?: number };
  deliveries: {
    delivered: number;
    failed: number;
    success_rate: number;
    mean_duration_ms: number;
    parked: number;
    dead_letters: number;
  };
}

const hourMs = 3_600_000;

/** So many whole days of the reader's calendar, today being the last; one is the last 24 hours. */
export function rangeStart(days: number, now: number): number {
  if (days === 1) return now - 24 * hourMs;
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - days + 1);
  return day.getTime();
}
