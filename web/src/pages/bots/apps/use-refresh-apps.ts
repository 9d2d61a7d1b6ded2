import { useQueryClient } from '@tanstack/react-query';
import { appsQuery } from '../../../api/apps.ts';

export function useRefreshApps(botId: number): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: appsQuery(botId).queryKey });
    void client.invalidateQueries({ queryKey: ['deliveries', botId] });
  };
}
