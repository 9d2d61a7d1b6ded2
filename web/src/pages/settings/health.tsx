import { useQuery } from '@tanstack/react-query';
import { readyQuery, versionQuery } from '../../api/operation.ts';
import { LiveIndicator } from '../../app/shell/live-indicator.tsx';
import { inWords } from '../../i18n/phrase.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Panel } from '../../ui/page.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { State } from '../../ui/state.tsx';

/** What anyone may know: whether it works, and which version it is. */
export function Health() {
  const { phrases, settings } = useT();
  const version = useQuery(versionQuery);
  const ready = useQuery(readyQuery);
  const reasons = ready.data?.reasons.map((reason) => inWords(reason, phrases)) ?? [];
  const isWell = ready.isSuccess && reasons.length === 0;
  return (
    <Panel title={settings.health}>
      <SettingRow
        name={settings.service}
        hint={
          reasons.length > 0
            ? reasons.join('; ')
            : version.data
              ? settings.version(version.data.version)
              : '…'
        }
        control={
          ready.isPending ? (
            <State tone="idle">…</State>
          ) : (
            <State tone={isWell ? 'ok' : 'bad'}>
              {isWell ? settings.ready : settings.notReady}
            </State>
          )
        }
      />
      <SettingRow name={settings.live} hint={settings.liveHint} control={<LiveIndicator />} />
    </Panel>
  );
}
