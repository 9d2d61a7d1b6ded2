import { NumberInput, Switch, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useT } from '../../../i18n/use-t.tsx';
import { mostPatience } from '../../../api/bot-settings.ts';
import type { AppDraft } from './app-draft.ts';
import { useClosingList } from '../../../ui/forms/use-closing-list.ts';
import css from './apps.module.css';

const commonMethods = [
  'sendMessage',
  'sendPhoto',
  'sendDocument',
  'editMessageText',
  'deleteMessage',
  'answerCallbackQuery',
  'getMe',
  'getFile',
  'getChat',
  '!banChatMember',
  '!deleteMessage',
];

/** The fields for claims of an app, for its queue, for pacing, and for the methods it may call. */
export function AdvancedFields(props: {
  draft: AppDraft;
  problem: (field: string) => string | undefined;
  onChange: (part: Partial<AppDraft>) => void;
}) {
  const { draft, onChange, problem } = props;
  const { apps } = useT();
  const list = useClosingList();
  const wrong = ['priority', 'patience', 'methods', 'urgent'].map(problem).find(Boolean);
  const claims = [draft.exclusive, draft.own_replies];
  const sends = [draft.pacing === 'on', draft.format !== ''];
  const switches = [...claims, draft.keep_pending, draft.per_topic, ...sends];
  const lists = [draft.methods, draft.urgent];
  const isUsed = switches.includes(true) || lists.some(({ length }) => length > 0);
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <details
      className={css.advanced}
      open={isOpen || wrong !== undefined}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{apps.advanced}</summary>
      <div className={css.part}>
        {draft.mode === 'send' ? null : (
          <>
            <Switch
              label={apps.exclusive}
              description={apps.exclusiveHint}
              checked={draft.exclusive}
              onChange={(event) => onChange({ exclusive: event.currentTarget.checked })}
            />
            {draft.exclusive ? (
              <NumberInput
                label={apps.priority}
                description={apps.priorityHint}
                allowDecimal={false}
                value={draft.priority}
                error={problem('priority')}
                onChange={(value) => onChange({ priority: Number(value) || 0 })}
              />
            ) : null}
            <Switch
              label={apps.ownReplies}
              description={apps.ownRepliesHint}
              checked={draft.own_replies}
              onChange={(event) => onChange({ own_replies: event.currentTarget.checked })}
            />
            <Switch
              label={apps.keepPending}
              description={apps.keepPendingHint}
              checked={draft.keep_pending}
              onChange={(event) => onChange({ keep_pending: event.currentTarget.checked })}
            />
            {draft.mode === 'webhook' ? (
              <>
                <Switch
                  label={apps.perTopic}
                  description={apps.perTopicHint}
                  checked={draft.per_topic}
                  onChange={(event) => onChange({ per_topic: event.currentTarget.checked })}
                />
                <TagsInput
                  label={apps.urgent}
                  description={apps.urgentHint}
                  placeholder={draft.urgent.length === 0 ? '/stop' : ''}
                  splitChars={[',', ' ']}
                  maxTags={10}
                  acceptValueOnBlur
                  value={draft.urgent}
                  error={problem('urgent')}
                  onChange={(urgent) => onChange({ urgent })}
                />
              </>
            ) : null}
          </>
        )}
        <Switch
          label={apps.pacing}
          description={apps.pacingHint}
          checked={draft.pacing === 'on'}
          onChange={(event) => onChange({ pacing: event.currentTarget.checked ? 'on' : 'off' })}
        />
        {draft.pacing === 'on' ? (
          <NumberInput
            label={apps.patience}
            description={apps.patienceHint}
            allowDecimal={false}
            min={0}
            max={mostPatience}
            value={draft.patience}
            error={problem('patience')}
            onChange={(value) => onChange({ patience: Number(value) || 0 })}
          />
        ) : null}
        <Switch
          label={apps.format}
          description={apps.formatHint}
          checked={draft.format === 'markdown'}
          onChange={(event) => onChange({ format: event.currentTarget.checked ? 'markdown' : '' })}
        />
        <TagsInput
          label={apps.methods}
          description={apps.methodsHint}
          placeholder={draft.methods.length === 0 ? apps.allMethods : ''}
          data={commonMethods}
          {...list}
          splitChars={[',', ' ']}
          value={draft.methods}
          error={problem('methods')}
          onChange={(methods) => onChange({ methods })}
        />
      </div>
    </details>
  );
}
