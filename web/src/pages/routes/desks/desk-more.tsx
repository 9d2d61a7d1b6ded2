import { NumberInput, Select, Switch } from '@mantine/core';
import { useState } from 'react';
import type { Bot } from '../../../api/client/types.ts';
import { locales } from '../../../i18n/locales.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { IdsField } from '../../../shared/ids-field.tsx';
import css from '../routes.module.css';
import { type DeskDraft, firstHours, languages, type TextsName } from './desk-draft.ts';
import { HoursFields } from './hours-fields.tsx';
import { RepliesField } from './replies-field.tsx';

const moreNames =
  /^(language|person_ids|unanswered_minutes|working_hours|away_replies|ban_replies|rating_questions)/;

/** What a desk need not have: hours, texts for customers, persons, an alert. */
export function DeskMore(props: {
  draft: DeskDraft;
  bot: Bot | undefined;
  /** The fields that the service rejected. */
  wrong: readonly string[];
  opened: boolean;
  problem: (field: string) => string | undefined;
  onChange: (part: Partial<DeskDraft>) => void;
}) {
  const { draft, bot, problem, onChange } = props;
  const { alerts, desks: words } = useT();
  const [isOpen, setOpen] = useState(props.opened);
  const { working_hours: hours } = draft;
  const replies = (name: TextsName, label: string) => (
    <RepliesField
      label={label}
      name={name}
      value={draft[name]}
      problem={problem}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <details
      className={css.more}
      open={isOpen || props.wrong.some((field) => moreNames.test(field))}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{alerts.more}</summary>
      <div className={css.form}>
        <Select
          label={words.language}
          description={words.languageHint}
          data={languages.map((value) => ({ value, label: locales[value]?.label ?? value }))}
          allowDeselect={false}
          value={draft.language}
          error={problem('language')}
          onChange={(value) =>
            onChange({ language: languages.find((one) => one === value) ?? 'en' })
          }
        />
        <NumberInput
          label={words.unanswered}
          description={words.unansweredHint}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          value={draft.unanswered_minutes}
          error={problem('unanswered_minutes')}
          onChange={(value) => onChange({ unanswered_minutes: Number(value) })}
        />
        {bot ? (
          <IdsField
            label={words.persons}
            hint={words.personsHint}
            none={words.personsNone}
            bot={bot}
            people
            value={draft.person_ids.map(String)}
            error={problem('person_ids')}
            onChange={(ids) => onChange({ person_ids: ids.map(Number) })}
          />
        ) : null}
        <Switch
          label={words.hours}
          description={words.hoursHint}
          checked={hours !== null}
          onChange={({ currentTarget }) =>
            onChange({ working_hours: currentTarget.checked ? firstHours() : null })
          }
        />
        {hours ? (
          <>
            <HoursFields
              value={hours}
              problem={problem}
              onChange={(value) => onChange({ working_hours: value })}
            />
            {replies('away_replies', words.awayReplies)}
          </>
        ) : null}
        {replies('ban_replies', words.banReplies)}
        {replies('rating_questions', words.ratingQuestions)}
      </div>
    </details>
  );
}
