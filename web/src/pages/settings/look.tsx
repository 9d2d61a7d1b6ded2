import { SegmentedControl, Select, useMantineColorScheme } from '@mantine/core';
import { locales } from '../../i18n/locales.ts';
import { useLanguage, useT } from '../../i18n/use-t.tsx';
import { Panel } from '../../ui/page.tsx';
import { SettingRow } from '../../ui/forms/setting-row.tsx';

/** The appearance in this browser. */
export function Look() {
  const { look, settings } = useT();
  const { choose, locale } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
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
            data={Object.entries(locales).map(([value, { label }]) => ({ value, label }))}
            value={locale}
            onChange={(value) => choose(value ?? 'en')}
          />
        }
      />
    </Panel>
  );
}
