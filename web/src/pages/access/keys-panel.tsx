import { ActionIcon, Button, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteKey, keysQuery, toggleKey } from '../../api/access.ts';
import type { ApiKey } from '../../api/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import css from './access.module.css';
import { NewKeyDialog } from './new-key-dialog.tsx';

export function KeysPanel() {
  const { access } = useT();
  const query = useQuery(keysQuery);
  const [making, setMaking] = useState(false);
  return (
    <Panel
      flush
      title={access.keys}
      hint={access.keysHint}
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setMaking(true)}>
          {access.newKey}
        </Button>
      }
    >
      <Loaded query={query} skeleton={<RowsSkeleton rows={2} />}>
        {(keys) =>
          keys.length === 0 ? (
            <EmptyState icon="key" title={access.noKeys} hint={access.noKeysHint} />
          ) : (
            <ul className={css.list}>
              {keys.map((key) => (
                <KeyRow key={key.id} apiKey={key} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewKeyDialog opened={making} onClose={() => setMaking(false)} />
    </Panel>
  );
}

function KeyRow(props: { apiKey: ApiKey }) {
  const { apiKey } = props;
  const { access, common } = useT();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const refresh = () => void client.invalidateQueries({ queryKey: keysQuery.queryKey });
  const toggle = useAction({
    run: () => toggleKey(apiKey.id),
    done: (changed) => {
      refresh();
      if (!changed.disabled) return access.keySwitchedOn(changed.name);
      toast(access.keySwitchedOff(changed.name), { undo: () => toggle.mutate(undefined) });
      return undefined;
    },
  });
  const remove = useAction({
    run: () => deleteKey(apiKey.id),
    done: () => {
      refresh();
      return access.keyDeleted(apiKey.name);
    },
  });
  return (
    <li className={css.row} data-off={apiKey.disabled || undefined}>
      <span
        className={`${css.badge} ${css.lead}`}
        data-strong={apiKey.scope === 'admin' || undefined}
      >
        {access.scopeShort[apiKey.scope]}
      </span>
      <div>
        <div className={css.name}>{apiKey.name}</div>
        <div className={css.sub}>
          <span className="mono">{apiKey.hint}</span>
          {' · '}
          {apiKey.bot_ids === null ? access.allBots : access.someBots(apiKey.bot_ids.length)}
          {' · '}
          {access.createdBy(apiKey.created_by)}
          {apiKey.disabled ? ` · ${access.keyOff}` : ''}
        </div>
      </div>
      <div className={css.when}>
        {access.lastUsed}: <TimeAgo at={apiKey.last_used_at} />
        {apiKey.expires_at === '' ? null : (
          <div>
            {access.expires}: <TimeAgo at={apiKey.expires_at} />
          </div>
        )}
      </div>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`${common.actions}: ${apiKey.name}`}
          >
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => toggle.mutate(undefined)}>
            {apiKey.disabled ? access.switchOn : access.switchOff}
          </Menu.Item>
          <Menu.Item c="var(--bad)" onClick={() => setAsking(true)}>
            {common.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={access.deleteKeyAsk(apiKey.name)}
        confirmLabel={common.delete}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        {access.deleteKeyHint}
      </Confirm>
    </li>
  );
}
