import { FileInput, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { botName, botsQuery } from '../../api/bots.ts';
import { addBroadcast, type Audience, broadcastsQuery } from '../../api/broadcasts.ts';
import { useT } from '../../i18n/use-t.tsx';
import { FormEnd } from '../../shared/form-end.tsx';
import { useAction } from '../../shared/use-action.ts';
import { DraftDialog } from '../../ui/forms/draft-dialog.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';
import { AudienceFields } from './audience-fields.tsx';
import { useUpload } from './use-upload.ts';
import css from './broadcasts.module.css';

interface Draft {
  botId: number;
  name: string;
  text: string;
  audience: Audience;
  optOutButton: string;
  optOutWord: string;
  optOutReply: string;
  stopAt: number;
  isPaid: boolean;
  file: File | null;
  uploadTo: number;
}

/** Makes a draft: what is said, to whom, and how people opt out. */
export function AddBroadcast({ onClose }: { onClose: () => void }) {
  const { broadcasts: words, common } = useT();
  const bots = useQuery(botsQuery).data ?? [];
  const [draft, setDraft] = useState<Draft>({
    botId: 0,
    name: '',
    text: '',
    audience: { chat_types: ['private'] },
    optOutButton: words.optOutButtonExample,
    optOutWord: '',
    optOutReply: '',
    stopAt: 10,
    isPaid: false,
    file: null,
    uploadTo: 0,
  });
  const uploaded = useUpload();
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const add = useAction({
    run: async () =>
      addBroadcast({
        bot_id: draft.botId,
        name: draft.name,
        ...(draft.file
          ? { ...(await uploaded(draft, draft.file)), caption: draft.text }
          : { text: draft.text }),
        format: 'markdown',
        audience: draft.audience,
        opt_out_button: draft.optOutButton,
        opt_out_word: draft.optOutWord,
        opt_out_reply: draft.optOutReply,
        stop_at_blocked_percent: draft.stopAt,
        allow_paid_broadcast: draft.isPaid,
      }),
    refreshes: [broadcastsQuery.queryKey],
    quiet: true,
    done: onClose,
  });
  const says = draft.file ? draft.uploadTo !== 0 : draft.text.trim() !== '';
  const isWhole = draft.botId !== 0 && draft.name.trim() !== '' && says;
  return (
    <DraftDialog opened onClose={onClose} isChanged={draft.text !== ''} title={words.add} size="lg">
      <form className={css.form} onSubmit={withoutReload(() => add.mutate(undefined))}>
        <Select
          label={words.bot}
          data={bots.map((bot) => ({ value: String(bot.id), label: botName(bot) }))}
          value={draft.botId === 0 ? null : String(draft.botId)}
          onChange={(id) => change({ botId: Number(id ?? 0) })}
          searchable
          data-autofocus
        />
        <TextInput
          label={words.name}
          value={draft.name}
          maxLength={256}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <Textarea
          label={words.text}
          description={words.textHint}
          autosize
          minRows={3}
          maxRows={12}
          value={draft.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        <FileInput
          label={words.file}
          clearable
          clearButtonProps={{ 'aria-label': common.remove }}
          value={draft.file}
          onChange={(file) => change({ file })}
        />
        {draft.file ? (
          <NumberInput
            label={words.uploadTo}
            description={words.uploadToHint}
            value={draft.uploadTo || ''}
            onChange={(chat) => change({ uploadTo: Number(chat) || 0 })}
            hideControls
            allowDecimal={false}
          />
        ) : null}
        <AudienceFields
          botId={draft.botId}
          audience={draft.audience}
          onChange={(audience) => change({ audience })}
        />
        <TextInput
          label={words.optOutButton}
          value={draft.optOutButton}
          maxLength={64}
          onChange={(event) => change({ optOutButton: event.currentTarget.value })}
        />
        <TextInput
          label={words.optOutWord}
          value={draft.optOutWord}
          maxLength={64}
          onChange={(event) => change({ optOutWord: event.currentTarget.value })}
        />
        <TextInput
          label={words.optOutReply}
          value={draft.optOutReply}
          maxLength={1_024}
          onChange={(event) => change({ optOutReply: event.currentTarget.value })}
        />
        <NumberInput
          label={words.stopAt}
          description={words.stopAtHint}
          value={draft.stopAt}
          min={0}
          max={100}
          allowDecimal={false}
          onChange={(value) => change({ stopAt: Number(value) || 0 })}
        />
        <Switch
          label={words.paid}
          description={words.paidHint}
          checked={draft.isPaid}
          onChange={(event) => change({ isPaid: event.currentTarget.checked })}
        />
        <FormEnd
          submit={words.addDraft}
          error={add.error}
          busy={add.isPending}
          disabled={!isWhole}
          onCancel={onClose}
        />
      </form>
    </DraftDialog>
  );
}
