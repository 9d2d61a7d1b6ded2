import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../../../api/bots.ts';
import type { NewQuestion } from '../../../api/questions.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { IdsField } from '../../../shared/ids-field.tsx';
import css from '../../../shared/scheduled/scheduled.module.css';
import { MomentField } from '../../../ui/forms/moment-field.tsx';

export interface MoreDraft {
  userIds: string[];
  /** Unix seconds; undefined for the usual time. */
  until: number | undefined;
  callbackUrl: string;
}

export const nothingMore: MoreDraft = { userIds: [], until: undefined, callbackUrl: '' };

/** The fields of the request that are set. */
export function askedMore({ callbackUrl, until, userIds }: MoreDraft): Partial<NewQuestion> {
  const url = callbackUrl.trim();
  return {
    ...(userIds.length > 0 ? { user_ids: userIds.map(Number) } : {}),
    ...(until === undefined ? {} : { expires_at: new Date(until * 1_000).toISOString() }),
    ...(url === '' ? {} : { callback_url: url }),
  };
}

/** Who may answer, until when, and the program that gets the answer. */
export function AskMoreFields(props: {
  botId: number;
  draft: MoreDraft;
  onChange: (part: Partial<MoreDraft>) => void;
}) {
  const { draft, onChange } = props;
  const { questions: words } = useT();
  const bot = useQuery(botsQuery).data?.find(({ id }) => id === props.botId);
  return (
    <details className={css.more}>
      <summary>{words.more}</summary>
      <div className={css.form}>
        {bot ? (
          <IdsField
            label={words.users}
            none={words.everybody}
            bot={bot}
            people
            value={draft.userIds}
            error={undefined}
            onChange={(userIds) => onChange({ userIds })}
          />
        ) : null}
        <MomentField
          label={words.until}
          hint={words.untilHint}
          value={draft.until}
          onChange={(until) => onChange({ until })}
        />
        <TextInput
          label={words.callback}
          description={words.callbackHint}
          type="url"
          placeholder="https://example.com/answers"
          value={draft.callbackUrl}
          onChange={(event) => onChange({ callbackUrl: event.currentTarget.value })}
        />
      </div>
    </details>
  );
}
