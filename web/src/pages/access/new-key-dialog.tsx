import { Alert, Button, Group, Radio, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { createKey, keysQuery } from '../../api/access.ts';
import type { Scope } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { CopyLine } from '../../ui/forms/copy-line.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../shared/form-end.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useAction } from '../../shared/use-action.ts';
import css from './access.module.css';
import { BotChoice } from '../../shared/bot-choice.tsx';
import { LimitFields, limitsInRequest, noLimits } from './key-limits.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';

const days = { never: 0, day: 1, month: 30, year: 365 };
type Lifetime = keyof typeof days;

export function NewKeyDialog(props: { opened: boolean; onClose: () => void }) {
  const { access } = useT();
  const [made, setMade] = useState('');
  function close(): void {
    setMade('');
    props.onClose();
  }
  return (
    <Dialog
      opened={props.opened}
      onClose={close}
      title={made === '' ? access.newKey : access.keyCreated}
      size="lg"
      // The key is shown only once: the dialog closes only by its button.
      closeOnClickOutside={made === ''}
      closeOnEscape={made === ''}
    >
      {made === '' ? <KeyForm onMade={setMade} /> : <MadeKey secret={made} onClose={close} />}
    </Dialog>
  );
}

function MadeKey(props: { secret: string; onClose: () => void }) {
  const { access } = useT();
  return (
    <div className={css.fields}>
      <Alert color="yellow" icon={<Icon name="warn" />}>
        {access.keyCreatedHint}
      </Alert>
      <CopyLine text={props.secret} />
      <Group justify="flex-end">
        <Button onClick={props.onClose}>{access.keyCopied}</Button>
      </Group>
    </div>
  );
}

function KeyForm(props: { onMade: (secret: string) => void }) {
  const { access } = useT();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  const [botIds, setBotIds] = useState<number[]>([]);
  const [limits, setLimits] = useState(noLimits);
  const [lifetime, setLifetime] = useState<Lifetime>('never');
  const make = useAction({
    run: createKey,
    quiet: true,
    refreshes: [keysQuery.queryKey],
    done: (made) => props.onMade(made.key),
  });
  const hasChats = scope === 'read' || scope === 'send';
  function onSubmit(): void {
    make.mutate({
      name: name.trim(),
      scope,
      bot_ids: botIds.length > 0 ? botIds : null,
      ...limitsInRequest(hasChats ? limits : { ...noLimits, dailyWrites: limits.dailyWrites }),
      expires_at: lifetime === 'never' ? '' : inDays(days[lifetime]),
    });
  }
  return (
    <form className={css.fields} onSubmit={withoutReload(onSubmit)}>
      <TextInput
        label={access.keyName}
        placeholder={access.keyNameExample}
        required
        withAsterisk={false}
        data-autofocus
        maxLength={256}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Radio.Group
        label={access.scope}
        value={scope}
        onChange={(value) => setScope(value as Scope)}
      >
        <div className={css.fields} style={{ gap: 8, marginTop: 6 }}>
          {(Object.keys(access.scopes) as Scope[]).map((one) => (
            <Radio key={one} value={one} label={access.scopes[one]} />
          ))}
        </div>
      </Radio.Group>
      <BotChoice
        label={access.onlyBots}
        hint={access.onlyBotsHint}
        value={botIds}
        onChange={setBotIds}
      />
      <LimitFields
        limits={limits}
        hasChats={hasChats}
        onChange={(part) => setLimits({ ...limits, ...part })}
      />
      <Select
        label={access.expires}
        allowDeselect={false}
        data={(Object.keys(days) as Lifetime[]).map((one) => ({
          value: one,
          label: access.expiresIn[one],
        }))}
        value={lifetime}
        onChange={(value) => setLifetime((value ?? 'never') as Lifetime)}
      />
      <FormEnd submit={access.createKey} error={make.error} busy={make.isPending} />
    </form>
  );
}

function inDays(count: number): string {
  return new Date(Date.now() + count * 86_400_000).toISOString();
}
