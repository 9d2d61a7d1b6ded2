import { CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { channelsQuery } from '../../api/alerts.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useMayAddBots } from '../../shared/use-session.ts';
import { Icon } from '../../ui/icon.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import css from './overview.module.css';

const storageKey = 'relay-no-alert-channel';

/** Decides whether to offer a channel for alerts: there is none, and nobody declined it in this browser. */
export function useChannelOffer(): {
  isOpen: boolean;
  /** True while this is unknown. */
  isPending: boolean;
  dismiss: () => void;
} {
  const mayAdd = useMayAddBots();
  const [isDeclined, setDeclined] = useState(read);
  const channels = useQuery({ ...channelsQuery, enabled: mayAdd && !isDeclined });
  return {
    isOpen: mayAdd && !isDeclined && channels.data?.length === 0,
    isPending: channels.isLoading && channels.failureCount === 0,
    dismiss() {
      setDeclined(true);
      try {
        localStorage.setItem(storageKey, 'true');
      } catch {
        // Storage may be disabled; the choice then lasts until the page is closed.
      }
    },
  };
}

function read(): boolean {
  try {
    return localStorage.getItem(storageKey) !== null;
  } catch {
    return false;
  }
}

export function ChannelOffer(props: { onDismiss: () => void }) {
  const { alerts, common, overview } = useT();
  return (
    <div className={css.offer}>
      <Icon name="bell" />
      <div>
        <strong>{alerts.offer}</strong>
        <div className={css.todoWhy}>{alerts.offerHint}</div>
      </div>
      <LinkButton to="/alerts" search={{ add: true }} size="compact-sm" variant="light">
        {alerts.offerDo}
      </LinkButton>
      <CloseButton
        size="sm"
        aria-label={common.labelled(overview.dismiss, alerts.offer)}
        onClick={props.onDismiss}
      />
    </div>
  );
}
