import { useQuery } from '@tanstack/react-query';
import { botName, botsQuery } from '../../api/bots.ts';
import { useT } from '../../i18n/use-t.tsx';

const named = 5;

/** Names the bots of a user or key; `null` means all. */
export function useBotNames(): (ids: readonly number[] | null) => string {
  const { access } = useT();
  const bots = useQuery(botsQuery).data ?? [];
  return (ids) => {
    if (ids === null) return access.allBots;
    if (ids.length === 0) return access.noBots;
    const names = ids.slice(0, named).map((id) => {
      const bot = bots.find((one) => one.id === id);
      return bot ? botName(bot) : String(id);
    });
    return access.botsNamed(names, ids.length - names.length);
  };
}
