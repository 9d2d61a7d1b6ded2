import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { openSetupLink, setupLinkQuery } from '../../api/session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Commands } from '../../ui/text/commands.tsx';
import { AccountForm } from './account-form.tsx';
import { EntryCard } from './entry-card.tsx';

const minPasswordLength = 8;

export function SetupPage() {
  const { entry } = useT();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const token = useSetupToken();
  const link = useQuery(setupLinkQuery(token));

  /** Skips the first steps for those who added bots by the API or the CLI. */
  async function enter(): Promise<void> {
    const bots = await queryClient.fetchQuery(botsQuery).catch(() => []);
    await navigate({ to: bots.length === 0 ? '/welcome' : '/', replace: true });
  }

  if (token === '') {
    return (
      <EntryCard title={entry.setupMissing} lead={entry.setupMissingHint}>
        <LinkButton to="/sign-in" variant="default">
          {entry.signInTitle}
        </LinkButton>
      </EntryCard>
    );
  }
  if (link.data?.usable === false) {
    return (
      <EntryCard title={entry.setupUsed} lead={<Commands text={entry.setupUsedHint} />}>
        <LinkButton to="/">{entry.setupUsedGo}</LinkButton>
      </EntryCard>
    );
  }
  if (link.isPending) {
    return (
      <EntryCard title={entry.setupTitle} lead={entry.setupLead}>
        <Skeleton height={260} radius={10} aria-busy="true" />
      </EntryCard>
    );
  }
  return (
    <EntryCard title={entry.setupTitle} lead={entry.setupLead}>
      <AccountForm
        submit={entry.setupButton}
        run={(account) => openSetupLink({ token, ...account })}
        onEntered={() => void enter()}
        minPasswordLength={minPasswordLength}
      />
    </EntryCard>
  );
}

/** The token is after #, which browsers never send; ?token= works as well. */
function useSetupToken(): string {
  const search = useSearch({ from: '/setup' });
  const [fromHash] = useState(
    () => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '',
  );
  return fromHash || (search.token ?? '');
}
