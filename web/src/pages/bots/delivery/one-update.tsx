import { useQuery } from '@tanstack/react-query';
import type { App } from '../../../api/apps.ts';
import type { Bot } from '../../../api/client/types.ts';
import { updateQuery } from '../../../api/deliveries.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Loaded } from '../../../shared/loaded.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import { Panel } from '../../../ui/page.tsx';
import rows from '../../../ui/rows.module.css';
import { UpdateLine } from './bot-updates.tsx';
import { UpdateDetail } from './update-detail.tsx';

/** The update that the address names, such as that of an alert, with its attempts. */
export function OneUpdate(props: {
  bot: Bot;
  app: string;
  apps: readonly App[];
  position: number;
}) {
  const { app, apps, bot, position } = props;
  const { common, deliveries } = useT();
  const format = useFormat();
  const query = useQuery(updateQuery(bot.id, app, position));
  return (
    <Panel
      flush
      title={`${deliveries.update} ${format.number(position)}`}
      actions={
        <LinkButton
          to="/bots/$botId"
          params={{ botId: String(bot.id) }}
          search={{ tab: 'deliveries', app }}
          replace
          size="compact-sm"
          variant="default"
        >
          {common.close}
        </LinkButton>
      }
    >
      <Loaded query={query} skeleton={<RowsSkeleton rows={2} />}>
        {(update) => (
          <>
            <div className={rows.row}>
              <UpdateLine update={update} botId={bot.id} />
            </div>
            <div className={rows.detail}>
              <UpdateDetail update={update} bot={bot} app={app} apps={apps} />
            </div>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
