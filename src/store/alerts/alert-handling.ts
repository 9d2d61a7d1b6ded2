/* Stores what people do about open alerts. */
import { type Alert, type AlertAction, kindsWith } from '../../core/alerts/alerts.ts';
import { defaultApp } from '../../core/apps/app.ts';
import { type Engine, raw } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type AlertRow, toAlert } from './alert-row.ts';

export interface TakenAction {
  action: AlertAction;
  /** The bot that the alert is about, or the target bot of its route. */
  botId: number;
  /** The app to whose backend updates were sent again. */
  app?: string;
  by: string;
}

export interface AlertHandlingRepository {
  /** Mutes an open alert until then; 0 ends that. Undefined if it is not open. */
  mute(id: number, untilMs: number, by: string): Promise<Alert | undefined>;
  /** If somebody else acknowledged it before, their name stays. Undefined if it is not open. */
  acknowledge(id: number, by: string, nowMs: number): Promise<Alert | undefined>;
  /** Takes the acknowledgement back, whose ever it is. Undefined if it is not open. */
  takeBack(id: number): Promise<Alert | undefined>;
  /** Records an action on the open alerts that it helps with; returns these. */
  acted(what: TakenAction, nowMs: number): Promise<Alert[]>;
}

export function createAlertHandling(engine: Engine): AlertHandlingRepository {
  const { isIn, list } = wordsOf[engine.dialect];

  /** Changes an open alert on behalf of a person. */
  async function handle(id: number, set: string, values: unknown[]): Promise<Alert | undefined> {
    const [row] = await engine.write(() =>
      raw<AlertRow>(`update alerts set ${set} where id = $1 and resolved_at = 0 returning *`, [
        id,
        ...values,
      ]),
    );
    return row && toAlert(row);
  }

  return {
    mute: (id, untilMs, by) =>
      handle(id, 'muted_until = $2, muted_by = $3', [untilMs, untilMs === 0 ? '' : by]),
    acknowledge: (id, by, nowMs) =>
      handle(
        id,
        `acknowledged_by = case acknowledged_at when 0 then $2 else acknowledged_by end,
         acknowledged_at = case acknowledged_at when 0 then $3 else acknowledged_at end,
         version = version + case acknowledged_at when 0 then 1 else 0 end`,
        [by, nowMs],
      ),
    takeBack: (id) =>
      handle(id, `acknowledged_by = '', acknowledged_at = 0, version = version + 1`, []),
    acted: ({ action, app, botId, by }, nowMs) =>
      engine.write(function* () {
        const open = yield* raw<AlertRow>(
          `select * from alerts where resolved_at = 0 and ${isIn('kind', '$1', 'text')}`,
          [list(kindsWith(action))],
        );
        const helped = open.map(toAlert).filter((alert) => {
          const { app: ofApp = defaultApp, target_bot_id: target = alert.botId } = alert.params;
          return target === botId && (app === undefined || ofApp === app);
        });
        const rows = yield* raw<AlertRow>(
          `update alerts set acted = $2, acted_by = $3, acted_at = $4
           where ${isIn('id', '$1')} returning *`,
          [list(helped.map(({ id }) => id)), action, by, nowMs],
        );
        return rows.map(toAlert);
      }),
  };
}
