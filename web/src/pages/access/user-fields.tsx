import { Radio, TextInput } from '@mantine/core';
import { useT } from '../../i18n/use-t.tsx';
import { BotChoice } from '../../shared/bot-choice.tsx';
import css from './access.module.css';
import type { ChosenRole } from './role-of.ts';

/** What is asked for in the forms about a user. */
export interface UserDraft {
  role: ChosenRole;
  botIds: number[];
  /** As typed; '' for none. */
  telegramId: string;
}

export const bodyOf = ({ botIds, role, telegramId }: UserDraft) => ({
  role,
  // Admins have all bots.
  ...(role === 'admin' ? {} : { bot_ids: botIds }),
  telegram_user_id: Number(telegramId),
});

const isTelegramId = (text: string) => /^([1-9]\d{0,15})?$/.test(text);

export function UserFields(props: {
  draft: UserDraft;
  problem: (field: string) => string | undefined;
  onChange: (part: Partial<UserDraft>) => void;
}) {
  const { draft, onChange, problem } = props;
  const { access } = useT();
  const isId = isTelegramId(draft.telegramId);
  return (
    <>
      <Radio.Group
        label={access.role}
        value={draft.role}
        onChange={(role) => onChange({ role: role as ChosenRole })}
      >
        <div className={css.fields} style={{ gap: 8, marginTop: 6 }}>
          {(Object.keys(access.roles) as ChosenRole[]).map((role) => (
            <Radio
              key={role}
              value={role}
              label={access.roles[role]}
              description={access.roleMeans[role]}
            />
          ))}
        </div>
      </Radio.Group>
      {draft.role === 'admin' ? null : (
        <BotChoice
          label={access.assigned}
          value={draft.botIds}
          onChange={(botIds) => onChange({ botIds })}
        />
      )}
      <TextInput
        label={access.telegramId}
        description={access.telegramIdHint}
        inputMode="numeric"
        pattern="[1-9][0-9]{0,15}"
        value={draft.telegramId}
        error={isId ? problem('telegram_user_id') : true}
        onChange={(event) => onChange({ telegramId: event.currentTarget.value.trim() })}
      />
    </>
  );
}
