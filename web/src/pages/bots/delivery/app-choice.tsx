import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type App, appsQuery, defaultApp, isDefault } from '../../../api/apps.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';

/** Returns the app whose deliveries are shown, and the apps that have a backend. */
export function useChosenApp(botId: number): { app: string; apps: App[] } {
  const { app: asked = defaultApp } = useSearch({ from: '/frame/bots/$botId' });
  const { data } = useQuery(appsQuery(botId));
  const apps = (data ?? []).filter((app) => isDefault(app) || app.mode === 'webhook');
  const isKnown = data === undefined || apps.some(({ name }) => name === asked);
  return { app: isKnown ? asked : defaultApp, apps };
}

export function AppChoice(props: { bot: Bot; app: string; apps: App[] }) {
  const { apps: words } = useT();
  const navigate = useNavigate();
  return (
    <Select
      label={words.app}
      description={words.appHint}
      maw={340}
      allowDeselect={false}
      data={props.apps.map((app) => ({
        value: app.name,
        label: isDefault(app) ? words.ownBackend : app.name,
      }))}
      value={props.app}
      onChange={(app) =>
        void navigate({
          to: '/bots/$botId',
          params: { botId: String(props.bot.id) },
          search: { tab: 'deliveries', ...(app && app !== defaultApp ? { app } : {}) },
          replace: true,
        })
      }
    />
  );
}
