import { SegmentedControl, Select, useMantineColorScheme } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { get } from '../../api/client.ts';
import { LiveIndicator } from '../../app/shell/live-indicator.tsx';
import { type Locale, locales } from '../../i18n/locales.ts';
import { useLanguage, useT } from '../../i18n/use-t.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { State } from '../../ui/state.tsx';

const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => get<{ version: string }>('/api/version', {}, signal),
});

const readyQuery = queryOptions({
  queryKey: ['ready'],
  queryFn: ({ signal }) => get<{ status: string; reasons: string[] }>('/readyz', {}, signal),
  refetchInterval: 10_000,
  retry: false,
});

export function SettingsPage() {
  const { look, settings } = useT();
  const version = useQuery(versionQuery);
  const ready = useQuery(readyQuery);
  const { choose, locale } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Page title={settings.title} lead={settings.lead}>
      <div style={{ display: 'grid', gap: 18 }}>
        <Panel title={settings.health}>
          <SettingRow
            name={settings.service}
            hint={settings.serviceHint}
            control={
              ready.isPending ? null : (
                <State tone={ready.isError ? 'bad' : 'ok'}>
                  {ready.isError ? settings.notReady : settings.ready}
                </State>
              )
            }
          />
          <SettingRow
            name={settings.version}
            hint={version.data?.version ?? '…'}
            control={<LiveIndicator />}
          />
          <SettingRow
            name={settings.api}
            hint={settings.apiHint}
            control={<a href="/docs">/docs</a>}
          />
        </Panel>
        <Panel title={settings.look}>
          <SettingRow
            name={settings.theme}
            hint={settings.themeHint}
            control={
              <SegmentedControl
                aria-label={settings.theme}
                data={[
                  { value: 'auto', label: look.auto },
                  { value: 'light', label: look.light },
                  { value: 'dark', label: look.dark },
                ]}
                value={colorScheme}
                onChange={(value) => setColorScheme(value as 'auto' | 'light' | 'dark')}
              />
            }
          />
          <SettingRow
            name={settings.language}
            hint={settings.languageHint}
            control={
              <Select
                aria-label={settings.language}
                w={150}
                allowDeselect={false}
                data={(Object.keys(locales) as Locale[]).map((code) => ({
                  value: code,
                  label: locales[code].label,
                }))}
                value={locale}
                onChange={(value) => choose((value ?? 'en') as Locale)}
              />
            }
          />
        </Panel>
      </div>
    </Page>
  );
}
