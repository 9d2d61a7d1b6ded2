import { MultiSelect, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type AlertKind, alertKindNames } from '../../api/alerts.ts';
import { useT } from '../../i18n/use-t.tsx';
import { BotChoice } from '../../shared/bot-choice.tsx';
import { useClosingList } from '../../ui/forms/use-closing-list.ts';
import css from './alerts.module.css';
import type { ChannelDraft } from './channel-draft.ts';

const moreNames = ['message_thread_id', 'kinds', 'bot_ids', 'quiet_hours'];

/** Restrictions of a channel; initially there are none. */
export function MoreFields(props: {
  draft: ChannelDraft;
  problem: (field: string) => string | undefined;
  onChange: (part: Partial<ChannelDraft>) => void;
}) {
  const { draft, onChange, problem } = props;
  const { alerts, common } = useT();
  const list = useClosingList();
  const { bot_ids, isQuiet, kinds, topic } = draft;
  const [isOpen, setOpen] = useState(
    isQuiet || kinds.length > 0 || bot_ids.length > 0 || topic !== '',
  );
  const isWrong = moreNames.some((name) => problem(name) !== undefined);
  return (
    <details
      className={css.more}
      open={isOpen || isWrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{alerts.more}</summary>
      <div className={css.form}>
        {draft.type === 'webhook' ? null : (
          <NumberInput
            label={alerts.topicId}
            description={alerts.topicHint}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            value={topic}
            error={problem('message_thread_id')}
            onChange={(value) => onChange({ topic: value })}
          />
        )}
        <MultiSelect
          label={alerts.kinds}
          description={alerts.kindsHint}
          data={alertKindNames.map((kind) => ({ value: kind, label: alerts.kindNames[kind] }))}
          searchable
          {...list}
          clearable
          clearButtonProps={{ 'aria-label': common.remove }}
          value={kinds}
          error={problem('kinds')}
          onChange={(values) => onChange({ kinds: values as AlertKind[] })}
        />
        <BotChoice
          label={alerts.bots}
          hint={alerts.botsHint}
          value={bot_ids}
          onChange={(ids) => onChange({ bot_ids: ids })}
        />
        <Switch
          label={alerts.quietHours}
          description={alerts.quietHint}
          checked={isQuiet}
          onChange={(event) => onChange({ isQuiet: event.currentTarget.checked })}
        />
        {isQuiet ? <QuietFields {...props} /> : null}
      </div>
    </details>
  );
}

function QuietFields(props: {
  draft: ChannelDraft;
  problem: (field: string) => string | undefined;
  onChange: (part: Partial<ChannelDraft>) => void;
}) {
  const { problem } = props;
  const { quiet } = props.draft;
  const { alerts } = useT();
  const set = (part: Partial<typeof quiet>) => props.onChange({ quiet: { ...quiet, ...part } });
  const time = (name: 'start' | 'end', label: string) => (
    <TextInput
      type="time"
      label={label}
      value={quiet[name]}
      error={problem(`quiet_hours.${name}`)}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <div className={css.pair}>
      {time('start', alerts.quietStart)}
      {time('end', alerts.quietEnd)}
      <Select
        label={alerts.timezone}
        data={[...new Set([quiet.timezone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]}
        searchable
        limit={60}
        allowDeselect={false}
        value={quiet.timezone}
        error={problem('quiet_hours.timezone')}
        onChange={(timezone) => set({ timezone: timezone ?? 'UTC' })}
      />
    </div>
  );
}
