import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { faultsQuery, type SandboxWorld } from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { lookAgainMs } from './use-world-events.ts';

const FaultForm = lazyPart(async () => (await import('./fault-form.tsx')).FaultForm);

/** Simulated faults of the platform. */
export function Faults(props: { world: SandboxWorld }) {
  const t = useT();
  const [opened, setOpened] = useState(false);
  // A fault that occurs causes no event, so poll.
  const count = useQuery({ ...faultsQuery, refetchInterval: lookAgainMs }).data?.length ?? 0;
  return (
    <>
      <Button
        variant="default"
        {...(count > 0 ? { c: 'var(--warn)', bg: 'var(--warn-soft)' } : {})}
        leftSection={<Icon name="bolt" size={17} />}
        onClick={() => setOpened(true)}
      >
        {count > 0 ? t.sandbox.faultsOn(count) : t.sandbox.faults}
      </Button>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={t.sandbox.faults} size="lg">
        <FaultForm world={props.world} />
      </Dialog>
    </>
  );
}
