import { Link, useNavigate } from '@tanstack/react-router';
import {
  type App,
  type CreatedApp,
  deleteApp,
  enableApp,
  isDefault,
  rotateApp,
  toggleApp,
} from '../../../api/apps.ts';
import type { Bot } from '../../../api/client/types.ts';
import type { Backend } from '../../../api/deliveries.ts';
import type { Reader } from '../../../api/readers.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useMay } from '../../../shared/use-session.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Entry, type EntryAction } from '../../../ui/lists/entry-list.tsx';
import css from '../../../ui/rows.module.css';
import { State } from '../../../ui/state.tsx';
import { hostOf } from '../../../ui/text/host-of.ts';
import { TimeAgo, useNow } from '../../../ui/text/time-ago.tsx';
import { hasConditions } from './app-draft.ts';
import own from './apps.module.css';
import { appState, appTones } from './app-state.ts';
import { useRefreshApps } from './use-refresh-apps.ts';

const icons = { poll: 'menu', webhook: 'send', send: 'up' } as const;
const stepMs = 10_000;

export interface AppRowActions {
  onEdit: () => void;
  onConnect: () => void;
  onMove: (reader: Reader) => void;
  onRotated: (app: CreatedApp) => void;
}

interface Shown {
  app: App;
  bot: Bot;
  reader: Reader | undefined;
  backend: Backend | undefined;
}

export function AppRow(props: Shown & AppRowActions) {
  const { app, backend, bot, reader } = props;
  const { apps, bots, deliveries } = useT();
  const format = useFormat();
  const may = useMay('bots', 'manage');
  const actions = useAppActions(app, props);
  const isBot = isDefault(app);
  const state = appState(app, bot, { backend, reader }, useNow(stepMs));
  const facts = [
    // The head of the page shows how the relay receives updates; this shows how the app does.
    app.mode === 'webhook' ? apps.webhookTo(hostOf(app.backend_url)) : apps.receives[app.mode],
    ...(hasConditions(app.filter) ? [apps.filtered] : []),
    ...(app.exclusive ? [apps.isExclusive] : []),
    apps.sent(app.sent),
  ];
  function stateWords(): string {
    if (state === 'behind') return apps.behind(format.number(app.behind));
    if (state === 'backendDown' || state === 'backendFailing') return bots.conditions[state];
    return apps.states[state];
  }
  return (
    <Entry
      name={app.name}
      off={app.disabled}
      lead={<Icon name={isBot ? 'bot' : icons[app.mode]} />}
      sub={
        <>
          {isBot ? (
            <div>
              {apps.itself}{' '}
              <Link
                to="/bots/$botId"
                params={{ botId: String(bot.id) }}
                search={{ tab: 'settings' }}
              >
                {apps.botSettings}
              </Link>
            </div>
          ) : null}
          {facts.join(' · ')}
          {app.dropped > 0 ? (
            <div className={css.bad}>{deliveries.dropped(app.dropped)}</div>
          ) : null}
          {app.rate_limited > 0 ? (
            <div>
              {apps.rateLimited(app.rate_limited, app.last_retry_after)}{' '}
              <TimeAgo at={app.last_rate_limited_at} />
            </div>
          ) : null}
        </>
      }
      side={
        <div className={may && isBot ? own.beside : ''}>
          <State tone={appTones[state]}>{stateWords()}</State>
          {/* If no client polls for the bot itself, its updates wait for nobody. */}
          {state !== 'behind' && app.behind > 0 && !(isBot && state === 'notSeen') ? (
            <div>{apps.behind(format.number(app.behind))}</div>
          ) : null}
          {app.last_seen_at === '' ? null : (
            <div>
              {app.mode === 'webhook' ? apps.lastSeen : apps.lastCall}{' '}
              <TimeAgo at={app.last_seen_at} />
            </div>
          )}
        </div>
      }
      actions={may && !isBot ? actions : []}
    />
  );
}

function useAppActions(
  app: App,
  { onConnect, onEdit, onMove, onRotated, reader }: AppRowActions & Pick<Shown, 'reader'>,
): EntryAction[] {
  const { apps, bot, bots, common, deliveries } = useT();
  const navigate = useNavigate();
  const refresh = useRefreshApps(app.bot_id);
  const enable = useAction({ run: () => enableApp(app), done: refresh });
  const toggle = useAction({
    run: () => toggleApp(app.id),
    done: ({ disabled, name }) => {
      refresh();
      if (!disabled) return bots.nowEnabled(name);
      return { words: bots.nowDisabled(name), undo: () => enable.mutate(undefined) };
    },
  });
  const rotate = useAction({
    run: () => rotateApp(app.id),
    done: (rotated) => {
      refresh();
      onRotated(rotated);
    },
  });
  const remove = useAction({
    run: () => deleteApp(app.id),
    done: () => {
      refresh();
      return bots.deleted(app.name);
    },
  });
  return [
    { label: apps.connect, icon: 'out', run: onConnect },
    ...(app.mode === 'webhook'
      ? [
          {
            label: bot.tabDeliveries,
            icon: 'send' as const,
            run: () =>
              void navigate({
                to: '/bots/$botId',
                params: { botId: String(app.bot_id) },
                search: { tab: 'deliveries', app: app.name },
              }),
          },
        ]
      : []),
    ...(reader
      ? [{ label: deliveries.rewind, icon: 'replay' as const, run: () => onMove(reader) }]
      : []),
    { label: common.edit, icon: 'edit', run: onEdit },
    {
      label: app.has_token ? apps.rotate : apps.makeToken,
      icon: 'key',
      run: () => rotate.mutate(undefined),
      ...(app.has_token
        ? {
            ask: {
              title: apps.rotateAsk(app.name),
              means: apps.rotateMeans,
              confirm: apps.rotateDo,
            },
          }
        : {}),
    },
    {
      label: app.disabled ? bots.enable : bots.disable,
      icon: app.disabled ? 'play' : 'pause',
      run: () => toggle.mutate(undefined),
    },
    {
      label: common.delete,
      icon: 'trash',
      run: () => remove.mutate(undefined),
      ask: {
        title: apps.deleteAsk(app.name),
        means: apps.deleteMeans(app.behind),
        confirm: apps.deleteDo,
      },
    },
  ];
}
