import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { broadcastsQuery } from '../../api/broadcasts.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { LoadMore } from '../../shared/paged-list.tsx';
import { useMay } from '../../shared/use-session.ts';
import { Icon } from '../../ui/icon.tsx';
import { lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { Page } from '../../ui/page.tsx';
import { BroadcastCard } from './broadcast-card.tsx';

const AddBroadcast = lazyPart(async () => (await import('./add-broadcast.tsx')).AddBroadcast);

export function BroadcastsPage() {
  const { broadcasts: words } = useT();
  const may = useMay('bots', 'manage');
  const query = useInfiniteQuery(broadcastsQuery);
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        may ? (
          <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        ) : null
      }
    >
      <Loaded query={query} skeleton={<RowsSkeleton />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="send" title={words.empty} hint={words.emptyHint} />
          ) : (
            <div className="stack">
              {rows.map((one) => (
                <BroadcastCard key={one.id} broadcast={one} />
              ))}
              <LoadMore query={query} />
            </div>
          )
        }
      </Loaded>
      {isAdding ? <AddBroadcast onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}
