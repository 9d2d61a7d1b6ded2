/* The metrics of pacing. Their series are made when something is counted: most bots never meet a 429. */
import { cellsOf, type Counter, type Meter } from './meter.ts';

/** The outcome of a call under pacing. */
const pacedOutcomes = ['held', 'merged', 'dropped', 'refused'] as const;
export type PacedOutcome = (typeof pacedOutcomes)[number];

/** The number of apps with series about pacing. */
const mostApps = 1_000;

export interface PacingMetrics {
  /** Pacing held, merged, dropped or refused a call of an app. */
  paced(botId: number, app: string, outcome: PacedOutcome): void;
  /** A chat has to wait for so long, or so much longer, after a 429 to this app; '' is the relay. */
  floodWaited(botId: number, app: string, ms: number): void;
}

interface AppCells {
  paced: Record<PacedOutcome, Counter>;
  floodWait: Counter;
}

/** The apps after the first ones share the series of `others`. */
export function createPacingMetrics(meter: Meter, others: string): PacingMetrics {
  const paced = meter.counter(
    'relay_paced_calls_total',
    'Calls of apps with pacing on that were held, merged, dropped or refused.',
  );
  const floodWait = meter.counter(
    'relay_flood_wait_seconds_total',
    'Seconds that chats had to wait, by the app that met the 429; "" is the relay itself.',
  );
  const byApp = new Map<string, AppCells>();

  function cellsOfApp(botId: number, app: string): AppCells {
    const known = byApp.get(`${botId} ${app}`);
    if (known) return known;
    if (byApp.size >= mostApps && botId !== 0) return cellsOfApp(0, others);
    const labels = { bot_id: botId === 0 ? others : String(botId), app };
    const cells = {
      paced: cellsOf(paced, 'outcome', pacedOutcomes, labels),
      floodWait: floodWait.add(labels),
    };
    byApp.set(`${botId} ${app}`, cells);
    return cells;
  }

  return {
    paced(botId, app, outcome) {
      cellsOfApp(botId, app).paced[outcome].value += 1;
    },
    floodWaited(botId, app, ms) {
      cellsOfApp(botId, app).floodWait.value += ms / 1_000;
    },
  };
}
