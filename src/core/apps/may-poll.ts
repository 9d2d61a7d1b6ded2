import { RelayError } from '../../errors.ts';
import { reason } from '../reasons/reason.ts';
import type { AppRecord } from './app.ts';

/** Throws unless clients may poll as this app. */
export function requireMayPoll({
  name,
  mode,
  disabled,
}: Pick<AppRecord, 'name' | 'mode' | 'disabled'>): void {
  if (disabled) throw new RelayError('app_forbidden', reason('app_disabled', { app: name }));
  if (mode === 'webhook') throw new RelayError('conflict', reason('webhook_active'));
  if (mode === 'send') throw new RelayError('app_forbidden', reason('app_sends', { app: name }));
}
