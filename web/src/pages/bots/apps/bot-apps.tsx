import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type App, appsQuery, type CreatedApp } from '../../../api/apps.ts';
import type { Bot } from '../../../api/client/types.ts';
import { backendsQuery } from '../../../api/deliveries.ts';
import { type Reader, readersQuery } from '../../../api/readers.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Loaded } from '../../../shared/loaded.tsx';
import { useMay } from '../../../shared/use-session.ts';
import { lazyPart } from '../../../ui/feedback/lazy-dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { EmptyState } from '../../../ui/lists/empty-state.tsx';
import { EntryList } from '../../../ui/lists/entry-list.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import { Panel } from '../../../ui/page.tsx';
import { AppRow } from './app-row.tsx';
import { readerOf } from './app-state.ts';
import { BotConnect } from './bot-connect.tsx';

const AddAppDialog = lazyPart(async () => (await import('./app-dialogs.tsx')).AddAppDialog);
const EditAppDialog = lazyPart(async () => (await import('./app-dialogs.tsx')).EditAppDialog);
const RewindDialog = lazyPart(async () => (await import('../log/rewind-dialog.tsx')).RewindDialog);
const ConnectDialog = lazyPart(async () => (await import('./connect-dialogs.tsx')).ConnectDialog);
const NewTokenDialog = lazyPart(async () => (await import('./connect-dialogs.tsx')).NewTokenDialog);

/** Poll, because polls of clients cause no events. */
const lookAgainMs = 5_000;

type Open =
  | { dialog: 'add' }
  | { dialog: 'edit' | 'connect'; app: App }
  | { dialog: 'move'; reader: Reader }
  | { dialog: 'token'; app: CreatedApp; isNew: boolean };

/** Lists the applications connected to a bot, and shows how to connect one. */
export function BotApps(props: { bot: Bot }) {
  const { bot } = props;
  const { apps } = useT();
  const may = useMay('bots', 'manage');
  const query = useQuery({ ...appsQuery(bot.id), refetchInterval: lookAgainMs });
  const readers =
    useQuery({ ...readersQuery(bot.id), refetchInterval: lookAgainMs }).data?.readers ?? [];
  const backends = useQuery({ ...backendsQuery(bot.id), refetchInterval: lookAgainMs }).data ?? [];
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const isEmpty = query.data !== undefined && query.data.length < 2;
  const addButton = may ? (
    <Button leftSection={<Icon name="plus" />} onClick={() => setOpen({ dialog: 'add' })}>
      {apps.add}
    </Button>
  ) : null;
  return (
    <div className="stack">
      <Panel flush title={apps.title} hint={apps.hint} actions={isEmpty ? null : addButton}>
        <Loaded query={query} skeleton={<RowsSkeleton rows={2} />}>
          {(list) => (
            <>
              <EntryList>
                {list.map((app) => (
                  <AppRow
                    key={app.id}
                    app={app}
                    bot={bot}
                    reader={readerOf(app, readers)}
                    backend={backends.find((one) => one.app === app.name)}
                    onEdit={() => setOpen({ dialog: 'edit', app })}
                    onConnect={() => setOpen({ dialog: 'connect', app })}
                    onMove={(reader) => setOpen({ dialog: 'move', reader })}
                    onRotated={(rotated) =>
                      setOpen({ dialog: 'token', app: rotated, isNew: false })
                    }
                  />
                ))}
              </EntryList>
              {isEmpty ? (
                <EmptyState icon="bolt" title={apps.emptyTitle} hint={apps.emptyHint}>
                  {addButton}
                </EmptyState>
              ) : null}
            </>
          )}
        </Loaded>
      </Panel>
      {/* Not shown below a skeleton, because the list would push it down. */}
      {query.isPending ? null : <BotConnect bot={bot} />}
      {open?.dialog === 'add' ? (
        <AddAppDialog
          bot={bot}
          onAdded={(app) => setOpen({ dialog: 'token', app, isNew: true })}
          onClose={close}
        />
      ) : null}
      {open?.dialog === 'edit' ? <EditAppDialog bot={bot} app={open.app} onClose={close} /> : null}
      {open?.dialog === 'move' ? (
        <RewindDialog botId={bot.id} reader={open.reader} onClose={close} />
      ) : null}
      {open?.dialog === 'connect' ? (
        <ConnectDialog app={open.app} platformId={String(bot.platform_id)} onClose={close} />
      ) : null}
      {open?.dialog === 'token' ? (
        <NewTokenDialog app={open.app} isNew={open.isNew} onClose={close} />
      ) : null}
    </div>
  );
}
