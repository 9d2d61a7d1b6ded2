import type { Alert, AlertParams } from '../../core/alerts/alerts.ts';
import { fieldsOf, type RowOf } from '../sql/row-fields.ts';

type StoredAlert = Omit<Alert, 'params'> & { params: string };
export type AlertRow = RowOf<StoredAlert>;

export function toAlert(row: AlertRow): Alert {
  const alert = fieldsOf<StoredAlert>(row);
  return { ...alert, params: JSON.parse(alert.params) as AlertParams };
}
