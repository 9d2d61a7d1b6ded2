import { NumberInput, Radio, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type AlertChannel, severities } from '../../api/alerts.ts';
import { botName } from '../../api/bots.ts';
import { ApiError } from '../../api/client/error.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ChatField } from '../../shared/chat-field.tsx';
import { fieldProblem } from '../../shared/error-words.ts';
import { FormEnd } from '../../shared/form-end.tsx';
import { IdsField } from '../../shared/ids-field.tsx';
import { useFormError } from '../../shared/use-form-error.ts';
import { useWrongField } from '../../ui/forms/use-wrong-field.ts';
import css from './alerts.module.css';
import { type ChannelDraft, draftOf, settingsOf } from './channel-draft.ts';
import { MoreFields } from './more-fields.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';

/** Fields that show their own problem. */
const shownFields = [
  'bot_id',
  'chat_id',
  'message_thread_id',
  'url',
  'min_severity',
  'delay_seconds',
  'allowed_user_ids',
  'kinds',
  'quiet_hours',
];

/** True if the first field is the second, or a part of it, such as bot_ids[0]. */
const isIn = (part: string, field: string) =>
  part.startsWith(field) && /^([.[]|$)/.test(part.slice(field.length));

/** The form for the settings of a channel; without one, for a new channel. */
export function ChannelForm(props: {
  bots: Bot[];
  channel?: AlertChannel;
  submit: string;
  error: unknown;
  busy: boolean;
  onChanged: () => void;
  onSubmit: (draft: ChannelDraft) => void;
}) {
  const { bots, channel } = props;
  const t = useT();
  const { alerts } = t;
  const [draft, setDraft] = useState(() =>
    draftOf(channel, {
      botId: (bots.find(({ disabled }) => !disabled) ?? bots[0])?.id ?? 0,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
  );
  function set(part: Partial<ChannelDraft>): void {
    setDraft((before) => ({ ...before, ...part }));
    props.onChanged();
  }
  const error = useFormError(props.error, settingsOf(draft));
  const details = error instanceof ApiError ? error.details : [];
  const problem = (field: string): string | undefined => {
    const wrong = details.find((one) => isIn(one.field ?? '', field));
    return wrong?.field === undefined ? undefined : fieldProblem(error, wrong.field, t);
  };
  const isShown =
    details.length > 0 &&
    details.every(({ field = '' }) => shownFields.some((shown) => isIn(field, shown)));
  const form = useWrongField(props.error);
  const bot = bots.find(({ id }) => id === draft.bot_id);

  return (
    <form
      ref={form}
      className={css.form}
      onSubmit={withoutReload(() => props.onSubmit(draft))}
      noValidate
    >
      {channel ? null : (
        <Radio.Group
          label={alerts.type}
          value={draft.type}
          onChange={(type) => set({ type: type as ChannelDraft['type'] })}
        >
          <div className={css.choices}>
            {(['telegram', 'webhook'] as const).map((type) => (
              <Radio
                key={type}
                value={type}
                label={alerts.types[type]}
                description={alerts.typeHints[type]}
              />
            ))}
          </div>
        </Radio.Group>
      )}
      {draft.type === 'webhook' ? (
        <TextInput
          label={alerts.url}
          description={alerts.urlHint}
          placeholder="https://ops.example.com/alerts"
          type="url"
          value={draft.url}
          error={problem('url')}
          onChange={(event) => set({ url: event.currentTarget.value })}
        />
      ) : (
        <>
          <div className={css.pair}>
            <Select
              label={alerts.bot}
              description={alerts.botHint}
              data={bots.map((one) => ({ value: String(one.id), label: botName(one) }))}
              searchable
              allowDeselect={false}
              value={String(draft.bot_id)}
              error={problem('bot_id')}
              onChange={(id) => set({ bot_id: Number(id) })}
            />
            <ChatField
              label={alerts.chat}
              hint={bot?.manage_enabled === false ? alerts.chatsHidden : alerts.chatHint}
              bot={bot}
              value={draft.chat_id}
              error={problem('chat_id')}
              onChange={(chat_id) => set({ chat_id })}
            />
          </div>
          {bot ? (
            <IdsField
              label={alerts.allowed}
              hint={alerts.allowedHint}
              none={alerts.nobody}
              bot={bot}
              people
              value={draft.allowed_user_ids}
              error={problem('allowed_user_ids')}
              onChange={(allowed_user_ids) => set({ allowed_user_ids })}
            />
          ) : null}
        </>
      )}
      <div className={css.pair}>
        <Select
          label={alerts.severity}
          data={severities.map((one) => ({ value: one, label: alerts.severities[one] }))}
          allowDeselect={false}
          value={draft.min_severity}
          error={problem('min_severity')}
          onChange={(value) => set({ min_severity: value as ChannelDraft['min_severity'] })}
        />
        <NumberInput
          label={alerts.delay}
          description={alerts.delayHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          allowDecimal={false}
          allowNegative={false}
          value={draft.delay_seconds}
          error={problem('delay_seconds')}
          onChange={(delay_seconds) => set({ delay_seconds })}
        />
      </div>
      <MoreFields draft={draft} problem={problem} onChange={set} />
      <FormEnd submit={props.submit} error={isShown ? undefined : error} busy={props.busy} />
    </form>
  );
}
