import type { Alert } from './alerts.ts';

/** The page of the web UI about an alert; '' without a public address. */
export function alertUrl(publicUrl: string, { botId }: Pick<Alert, 'botId'>): string {
  if (publicUrl === '') return '';
  return botId === 0 ? `${publicUrl}/alerts` : `${publicUrl}/bots/${botId}`;
}
