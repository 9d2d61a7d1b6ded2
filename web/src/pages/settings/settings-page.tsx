import { useMay } from '../../app/shell/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { Health } from './health.tsx';
import { Look } from './look.tsx';
import { Nodes } from './nodes.tsx';
import css from './settings.module.css';

export function SettingsPage() {
  const { settings } = useT();
  const isAdmin = useMay('admin');
  return (
    <Page title={settings.title} lead={settings.lead}>
      <div className={css.stack}>
        <Health />
        {isAdmin ? <Nodes /> : null}
        <Look />
        <Panel title={settings.change} hint={settings.changeHint}>
          <SettingRow
            name={settings.api}
            hint={settings.apiHint}
            control={<a href="/docs">/docs</a>}
          />
        </Panel>
      </div>
    </Page>
  );
}
