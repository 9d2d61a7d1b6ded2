import { MultiSelect, NumberInput, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Audience, audienceQuery } from '../../api/broadcasts.ts';
import { useT } from '../../i18n/use-t.tsx';

const chatTypes = ['private', 'group', 'supergroup', 'channel'] as const;
const conversationStates = ['waiting', 'open', 'done'] as const;

/** Which chats get it, and how many they are. */
export function AudienceFields(props: {
  botId: number;
  audience: Audience;
  onChange: (audience: Audience) => void;
}) {
  const { audience, botId } = props;
  const { broadcasts: words } = useT();
  const change = (part: Audience) => props.onChange({ ...audience, ...part });
  const counted = useQuery(audienceQuery(botId, audience)).data;
  return (
    <>
      <MultiSelect
        label={words.chatTypes}
        data={chatTypes.map((value) => ({ value, label: words.types[value] }))}
        value={audience.chat_types ?? []}
        onChange={(types) => change({ chat_types: chatTypes.filter((one) => types.includes(one)) })}
      />
      <TagsInput
        label={words.tags}
        value={audience.tags ?? []}
        onChange={(tags) => change({ tags })}
      />
      <TagsInput
        label={words.languages}
        description={words.languagesHint}
        value={audience.languages ?? []}
        onChange={(languages) => change({ languages })}
      />
      <NumberInput
        label={words.seenDays}
        description={words.seenDaysHint}
        value={audience.seen_within_days ?? 0}
        min={0}
        max={3_650}
        allowDecimal={false}
        onChange={(value) => change({ seen_within_days: Number(value) || 0 })}
      />
      <MultiSelect
        label={words.conversations}
        data={conversationStates.map((value) => ({
          value,
          label: words.conversationStates[value],
        }))}
        value={audience.states ?? []}
        onChange={(states) =>
          change({ states: conversationStates.filter((one) => states.includes(one)) })
        }
      />
      {counted && botId !== 0 ? (
        <p role="status">
          {words.recipients(counted.recipients)}
          {counted.left_out > 0 ? ` ${words.leftOut(counted.left_out)}` : ''}
        </p>
      ) : null}
    </>
  );
}
