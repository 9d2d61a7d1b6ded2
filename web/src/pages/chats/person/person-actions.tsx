import { Button, Select, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  moderate,
  moderateFor,
  type Profile,
  rightsQuery,
  type SimpleAction,
  type Somebody,
  unwarn,
  warn,
} from '../../../api/people.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../../shared/form-end.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { SideSection } from '../../../ui/side-panel.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { speakerName } from '../history/history-items.ts';
import css from '../person.module.css';
import { useSide } from '../use-side.ts';
import { RightsDialog } from '../admin/rights-dialog.tsx';
import { whyNot } from '../history/decision-words.ts';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

type Act = 'warn' | 'mute' | 'unmute' | 'kick' | 'ban' | 'unban';
type Asked = 'warn' | 'mute' | 'kick' | 'ban';

/** The actions on a person in a group; unavailable ones say why. */
export function PersonActions(props: { who: Somebody; profile: Profile; bot: Bot }) {
  const { bot, profile, who } = props;
  const t = useT();
  const may = useMay('chats', 'manage');
  const rights = useQuery(rightsQuery(who));
  const undo = useModeration(who);
  const side = useSide();
  const [chosen, setChosen] = useState<Asked>();
  const [appointing, setAppointing] = useState(false);
  const status = profile.member?.status ?? '';
  const acts: Act[] = [
    'warn',
    status === 'restricted' ? 'unmute' : 'mute',
    'kick',
    status === 'kicked' ? 'unban' : 'ban',
  ];
  function obstacle(act: Act | 'promote'): string {
    if (!may) return t.people.notAllowed;
    return act === 'warn' ? '' : whyNot(rights.data, act, t);
  }
  // The command palette asks about a ban, where it is possible.
  const mayAsk = rights.isSuccess && acts.includes('ban') && obstacle('ban') === '';
  const asked = chosen ?? (side.ban && mayAsk ? 'ban' : undefined);
  function close(): void {
    setChosen(undefined);
    if (side.ban) side.show({ about: who.user_id });
  }
  const all: (Act | 'promote')[] = [...acts, 'promote'];
  const reasons = [...new Set(all.map(obstacle).filter(Boolean))];
  const isAdmin = status === 'administrator' || status === 'creator';
  return (
    <SideSection title={t.people.actions}>
      {rights.isPending ? (
        <Skeleton height={70} radius={10} />
      ) : (
        <div className={css.acts}>
          {acts.map((act) => (
            <Button
              key={act}
              size="compact-sm"
              {...(act === 'ban' ? { variant: 'default', c: 'var(--bad)' } : { variant: 'light' })}
              disabled={obstacle(act) !== ''}
              title={obstacle(act)}
              loading={undo.isPending && undo.variables === act}
              onClick={() =>
                act === 'unmute' || act === 'unban' ? undo.mutate(act) : setChosen(act)
              }
            >
              {t.people.acts[act]}
            </Button>
          ))}
          <Button
            size="compact-sm"
            variant="light"
            disabled={obstacle('promote') !== ''}
            title={obstacle('promote')}
            onClick={() => setAppointing(true)}
          >
            {isAdmin ? t.admins.change : t.admins.appoint}
          </Button>
        </div>
      )}
      {rights.isError ? <ErrorBox error={rights.error} /> : null}
      {reasons.map((reason) => (
        <p key={reason} className={css.why}>
          {reason}
        </p>
      ))}
      {appointing ? (
        <RightsDialog
          bot={bot}
          who={who}
          name={speakerName(profile)}
          before={isAdmin ? profile.member : undefined}
          onClose={() => setAppointing(false)}
        />
      ) : null}
      {asked ? (
        <ActDialog act={asked} who={who} name={speakerName(profile)} onClose={close} />
      ) : null}
    </SideSection>
  );
}

/** Runs actions that need no confirmation; they also undo others. */
function useModeration(who: Somebody) {
  const t = useT();
  return useAction({
    run: (action: SimpleAction) => moderate(action, who),
    refreshes: [['people', who.bot_id]],
    done: (_outcome, action) => t.people.done[action],
  });
}

const hour = 3_600;
const spans = [0, hour, 24 * hour, 7 * 24 * hour, 30 * 24 * hour];

function ActDialog(props: { act: Asked; who: Somebody; name: string; onClose: () => void }) {
  const { act, who } = props;
  const t = useT();
  const takeBack = useModeration(who);
  const unwarned = useAction({
    run: (id: number) => unwarn(who.bot_id, id),
    refreshes: [['people', who.bot_id]],
    done: () => t.people.warningRemoved,
  });
  const [seconds, setSeconds] = useState(act === 'mute' ? hour : 0);
  const [reason, setReason] = useState('');
  const run = useAction({
    run: async () => {
      if (act === 'warn') return warn(who, reason.trim());
      if (act === 'kick') await moderate('kick', who);
      else await moderateFor(act, who, seconds);
      return undefined;
    },
    quiet: true,
    refreshes: [['people', who.bot_id]],
    done: (warned) => {
      props.onClose();
      if (warned) {
        const { action, active, threshold, warning } = warned;
        if (action) return t.people.limitReached[action];
        return {
          words: threshold > 0 ? t.people.warned(active, threshold) : t.people.done.warn,
          undo: () => unwarned.mutate(warning.id),
        };
      }
      const words = t.people.done[act];
      if (act === 'mute') return { words, undo: () => takeBack.mutate('unmute') };
      if (act === 'ban') return { words, undo: () => takeBack.mutate('unban') };
      return words;
    },
  });
  return (
    <Dialog onClose={props.onClose} title={t.people.ask[act](props.name)}>
      <form className={css.form} onSubmit={withoutReload(() => run.mutate(undefined))}>
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
        <FormEnd
          submit={t.people.acts[act]}
          error={run.error}
          busy={run.isPending}
          danger={act === 'ban' || act === 'kick'}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
