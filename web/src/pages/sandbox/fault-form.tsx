import { ActionIcon, Button, NumberInput, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../api/client/client.ts';
import {
  type ActiveFault,
  type FaultKind,
  faultsQuery,
  type SandboxWorld,
} from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useAction } from '../../shared/use-action.ts';
import { Icon } from '../../ui/icon.tsx';
import css from './phones.module.css';

/** Lets the platform fail as chosen, and ends that. */
export function FaultForm(props: { world: SandboxWorld }) {
  const t = useT();
  const active = useQuery(faultsQuery).data ?? [];
  const [bot, setBot] = useState('');
  const [kind, setKind] = useState<FaultKind>('too_many_requests');
  const [times, setTimes] = useState<number | string>(3);
  const add = useAction({
    run: () =>
      post('/api/sandbox/faults/add', {
        body: {
          kind,
          times: Number(times) || 1,
          ...(bot === '' ? {} : { bot: Number(bot) }),
          ...(kind === 'too_many_requests' ? { retryAfterSeconds: 3 } : {}),
          ...(kind === 'slow' ? { delayMs: 4_000 } : {}),
        },
      }),
    refreshes: [faultsQuery.queryKey],
  });
  const nameOf = (id: number | undefined) =>
    props.world.bots.find((one) => one.id === id)?.first_name ?? t.sandbox.everyBot;
  const clear = useAction({
    run: () => post('/api/sandbox/faults/clear'),
    refreshes: [faultsQuery.queryKey],
  });
  const remove = useAction({
    run: (id: number) => post('/api/sandbox/faults/remove', { body: { id } }),
    refreshes: [faultsQuery.queryKey],
  });
  const kindOf = (fault: ActiveFault) =>
    t.sandbox.faultKinds[fault.kind as keyof typeof t.sandbox.faultKinds] ?? fault.kind;
  return (
    <>
      <p style={{ marginTop: 0 }}>{t.sandbox.faultsHint}</p>
      <div className={css.faults}>
        <Select
          label={t.sandbox.faultFor}
          allowDeselect={false}
          data={[
            { value: '', label: t.sandbox.everyBot },
            ...props.world.bots.map((one) => ({ value: String(one.id), label: one.first_name })),
          ]}
          value={bot}
          onChange={(value) => setBot(value ?? '')}
        />
        <Select
          label={t.sandbox.faultKind}
          allowDeselect={false}
          data={Object.entries(t.sandbox.faultKinds).map(([value, label]) => ({ value, label }))}
          value={kind}
          onChange={(value) => setKind((value as FaultKind | null) ?? kind)}
        />
        <NumberInput
          label={t.sandbox.faultTimes}
          min={1}
          max={1000}
          value={times}
          onChange={setTimes}
        />
        <Button loading={add.isPending} onClick={() => add.mutate(undefined)}>
          {t.sandbox.faultAdd}
        </Button>
      </div>
      <ul className={css.faultList}>
        {active.map((fault) => (
          <li key={fault.id}>
            <span>
              {kindOf(fault)}
              {' · '}
              {nameOf(fault.botId)}
            </span>
            <span className="tabular">
              {fault.times === undefined ? fault.struck : `${fault.struck} / ${fault.times}`}
            </span>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={t.sandbox.faultRemove(kindOf(fault))}
              title={t.sandbox.faultRemove(kindOf(fault))}
              onClick={() => remove.mutate(fault.id)}
            >
              <Icon name="cross" size={15} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {active.length === 0 ? (
        <p>{t.sandbox.faultNone}</p>
      ) : (
        <Button variant="default" loading={clear.isPending} onClick={() => clear.mutate(undefined)}>
          {t.sandbox.faultClear}
        </Button>
      )}
    </>
  );
}
