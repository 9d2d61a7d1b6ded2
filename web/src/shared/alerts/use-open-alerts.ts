import { useQuery } from '@tanstack/react-query';
import { openAlertsQuery } from '../../api/alerts.ts';
import { useMay } from '../use-session.ts';

/** The open alerts, without a request for those who may not see them. */
export function useOpenAlerts() {
  return useQuery({ ...openAlertsQuery, enabled: useMay('bots', 'read') });
}
