import { Button, Group, Modal, Select, Skeleton, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import {
  moderate,
  moderateFor,
  type Profile,
  rightsQuery,
  type SimpleAction,
  type Somebody,
  warn,
} from '../../api/people.ts';
import { useMay } from '../../app/shell/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { speakerName } from './history-items.ts';
import css from './person.module.css';

type Act = 'warn' | 'mute' | 'unmute' | 'kick' | 'ban' | 'unban';
type Asked = 'warn' | 'mute' | 'kick' | 'ban';

/** What can be done to somebody in a group; what the bot may not do says why. */
export function PersonActions(props: { who: Somebody; profile: Profile }) {
  const { profile, who } = props;
  const t = useT();
  const may = useMay('manage');
  const rights = useQuery(rightsQuery(who));
  const undo = useModeration(who);
  const [asked, setAsked] = useState<Asked>();
  const status = profile.member?.status ?? '';
  const acts: Act[] = [
    'warn',
    status === 'restricted' ? 'unmute' : 'mute',
    'kick',
    status === 'kicked' ? 'unban' : 'ban',
  ];
  function whyNot(act: Act): string {
    if (!may) return t.people.notAllowed;
    if (act === 'warn') return '';
    const verdict = rights.data?.find((one) => one.action === act);
    return verdict && !verdict.allowed ? verdict.reason : '';
  }
  const reasons = [...new Set(acts.map(whyNot).filter(Boolean))];
  return (
    <section className={css.section}>
      <h3 className={css.sectionTitle}>{t.people.actions}</h3>
      {rights.isPending ? (
        <Skeleton height={70} radius={10} />
      ) : (
        <div className={css.acts}>
          {acts.map((act) => (
            <Button
              key={act}
              size="compact-sm"
              {...(act === 'ban' ? { variant: 'default', c: 'var(--bad)' } : { variant: 'light' })}
              disabled={whyNot(act) !== ''}
              title={whyNot(act)}
              loading={undo.isPending && undo.variables === act}
              onClick={() =>
                act === 'unmute' || act === 'unban' ? undo.mutate(act) : setAsked(act)
              }
            >
              {t.people.acts[act]}
            </Button>
          ))}
        </div>
      )}
      {rights.isError ? <ErrorBox error={rights.error} /> : null}
      {reasons.map((reason) => (
        <p key={reason} className={css.why}>
          {reason}
        </p>
      ))}
      {asked ? (
        <ActDialog
          act={asked}
          who={who}
          name={speakerName(profile)}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </section>
  );
}

/** The actions without a question; they are also how others are taken back. */
function useModeration(who: Somebody) {
  const t = useT();
  const client = useQueryClient();
  return useAction({
    run: (action: SimpleAction) => moderate(action, who),
    done: (_outcome, action) => {
      void client.invalidateQueries({ queryKey: ['people', who.bot_id] });
      return t.people.done[action];
    },
  });
}

const hour = 3_600;
const spans = [0, hour, 24 * hour, 7 * 24 * hour, 30 * 24 * hour];

function ActDialog(props: { act: Asked; who: Somebody; name: string; onClose: () => void }) {
  const { act, who } = props;
  const t = useT();
  const client = useQueryClient();
  const takeBack = useModeration(who);
  const [seconds, setSeconds] = useState(act === 'mute' ? hour : 0);
  const [reason, setReason] = useState('');
  const run = useAction({
    run: async () => {
      if (act === 'warn') return (await warn(who, reason.trim())).action;
      if (act === 'kick') await moderate('kick', who);
      else await moderateFor(act, who, seconds);
      return '';
    },
    quiet: true,
    done: (followed) => {
      void client.invalidateQueries({ queryKey: ['people', who.bot_id] });
      props.onClose();
      const words = t.people.done[act] + (followed ? ` ${t.people.followed[followed]}` : '');
      if (act === 'mute') toast(words, { undo: () => takeBack.mutate('unmute') });
      else if (act === 'ban') toast(words, { undo: () => takeBack.mutate('unban') });
      else toast(words);
    },
  });
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    run.mutate(undefined);
  }
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={t.people.ask[act](props.name)}
      closeButtonProps={{ 'aria-label': t.common.close }}
    >
      <form className={css.form} onSubmit={onSubmit}>
        <p className={css.small}>{t.people.means[act]}</p>
        {act === 'warn' ? (
          <TextInput
            label={t.people.reason}
            maxLength={1_000}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        ) : null}
        {act === 'mute' || act === 'ban' ? (
          <Select
            label={t.people.howLong}
            allowDeselect={false}
            data={spans.map((span, index) => ({
              value: String(span),
              label: t.people.spans[index] ?? '',
            }))}
            value={String(seconds)}
            onChange={(value) => setSeconds(Number(value))}
          />
        ) : null}
        {run.error ? <ErrorBox error={run.error} /> : null}
        <Group justify="flex-end" mt="sm">
          <Button variant="default" onClick={props.onClose}>
            {t.common.cancel}
          </Button>
          <Button
            type="submit"
            loading={run.isPending}
            {...(act === 'ban' || act === 'kick' ? { color: 'red.9' } : {})}
          >
            {t.people.acts[act]}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
