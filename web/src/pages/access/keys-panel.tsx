import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { deleteKey, keysQuery, toggleKey } from '../../api/access.ts';
import type { ApiKey } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { Entry, EntryList } from '../../ui/lists/entry-list.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { lazyDialog } from '../../ui/feedback/lazy-dialog.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import { useAction } from '../../shared/use-action.ts';
import css from './access.module.css';
import { useLimitWords } from './use-limit-words.ts';
import { useBotNames } from './use-bot-names.ts';

const NewKeyDialog = lazyDialog(async () => (await import('./new-key-dialog.tsx')).NewKeyDialog);

export function KeysPanel(props: { isAdding: boolean; onAdding: (opened: boolean) => void }) {
  const { access } = useT();
  const query = useQuery(keysQuery);
  return (
    <Panel
      flush
      title={access.keys}
      hint={access.keysHint}
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => props.onAdding(true)}>
          {access.newKey}
        </Button>
      }
    >
      <Loaded query={query} skeleton={<RowsSkeleton rows={2} />}>
        {(keys) =>
          keys.length === 0 ? (
            <EmptyState icon="key" title={access.noKeys} hint={access.noKeysHint} />
          ) : (
            <EntryList>
              {keys.map((key) => (
                <KeyRow key={key.id} apiKey={key} />
              ))}
            </EntryList>
          )
        }
      </Loaded>
      <NewKeyDialog opened={props.isAdding} onClose={() => props.onAdding(false)} />
    </Panel>
  );
}

function KeyRow(props: { apiKey: ApiKey }) {
  const { apiKey } = props;
  const { access, common } = useT();
  const botNames = useBotNames();
  const limitWords = useLimitWords();
  const client = useQueryClient();
  const switchOn = useAction({
    // Sets the state instead of toggling it: somebody else may have changed it.
    run: async () => {
      const keys = await client.fetchQuery({ ...keysQuery, staleTime: 0 });
      if (keys.find(({ id }) => id === apiKey.id)?.disabled) await toggleKey(apiKey.id);
    },
    refreshes: [keysQuery.queryKey],
  });
  const toggle = useAction({
    run: () => toggleKey(apiKey.id),
    refreshes: [keysQuery.queryKey],
    done: (changed) => {
      if (!changed.disabled) return access.keyNowEnabled(changed.name);
      return { words: access.keyNowDisabled(changed.name), undo: () => switchOn.mutate(undefined) };
    },
  });
  const remove = useAction({
    run: () => deleteKey(apiKey.id),
    refreshes: [keysQuery.queryKey],
    done: () => access.keyDeleted(apiKey.name),
  });
  return (
    <Entry
      name={apiKey.name}
      off={apiKey.disabled}
      keepLead
      lead={
        <span className={css.badges}>
          <span className={css.badge} data-strong={apiKey.scope === 'admin' || undefined}>
            {access.scopeShort[apiKey.scope]}
          </span>
        </span>
      }
      sub={
        <>
          <span className="mono">{apiKey.hint}</span>
          {' · '}
          {botNames(apiKey.bot_ids)}
          {limitWords(apiKey)}
          {' · '}
          {access.createdBy(access.actors[apiKey.created_by] ?? apiKey.created_by)}
          {apiKey.disabled ? ` · ${access.keyDisabled}` : ''}
        </>
      }
      side={
        <>
          {access.lastUsed}: <TimeAgo at={apiKey.last_used_at} />
          {apiKey.expires_at === '' ? null : (
            <div>
              {access.expires}: <TimeAgo at={apiKey.expires_at} />
            </div>
          )}
        </>
      }
      actions={[
        {
          label: apiKey.disabled ? access.enableKey : access.disableKey,
          icon: apiKey.disabled ? 'play' : 'pause',
          run: () => toggle.mutate(undefined),
        },
        {
          label: common.delete,
          icon: 'trash',
          run: () => remove.mutate(undefined),
          ask: {
            title: access.deleteKeyAsk(apiKey.name),
            means: access.deleteKeyHint,
            confirm: common.delete,
          },
        },
      ]}
    />
  );
}
