import { MultiSelect, TagsInput, TextInput } from '@mantine/core';
import { updateKinds } from '../../../api/apps.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import type { FilterDraft, ListField } from './app-draft.ts';
import css from './apps.module.css';
import { IdsField } from '../../../shared/ids-field.tsx';
import { useClosingList } from '../../../ui/forms/use-closing-list.ts';

const examples: Partial<Record<ListField, string>> = {
  commands: '/order',
  callback_prefixes: 'buy:',
  thread_ids: '4',
};
const chatTypes = ['private', 'group', 'supergroup', 'channel'] as const;

/** The conditions of a filter; without conditions, everything passes. */
export function FilterFields(props: {
  bot: Bot;
  filter: FilterDraft;
  problem: (field: keyof FilterDraft) => string | undefined;
  onChange: (part: Partial<FilterDraft>) => void;
}) {
  const { bot, filter, problem } = props;
  const { apps } = useT();
  const kinds = useClosingList();
  const chatTypesList = useClosingList();
  const field = (name: ListField) => ({
    label: apps.filter[name],
    placeholder: filter[name].length === 0 ? apps.anyValue : '',
    value: filter[name],
    error: problem(name),
    onChange: (values: string[]) => props.onChange({ [name]: values }),
  });
  const tags = (name: ListField) => (
    <TagsInput
      {...field(name)}
      placeholder={filter[name].length === 0 ? (examples[name] ?? apps.keywordExample) : ''}
    />
  );
  return (
    <div className={css.filter}>
      <MultiSelect {...field('kinds')} searchable data={[...updateKinds]} {...kinds} />
      <MultiSelect
        {...field('chat_types')}
        data={chatTypes.map((type) => ({ value: type, label: apps.chatTypes[type] }))}
        {...chatTypesList}
      />
      <IdsField {...field('chat_ids')} bot={bot} />
      <IdsField {...field('user_ids')} bot={bot} people />
      {tags('commands')}
      {tags('keywords')}
      <TextInput
        label={apps.filter.regex}
        placeholder="^#\d+"
        classNames={{ input: 'mono' }}
        spellCheck={false}
        value={filter.regex}
        error={problem('regex')}
        onChange={(event) => props.onChange({ regex: event.currentTarget.value })}
      />
      {tags('callback_prefixes')}
      {tags('thread_ids')}
    </div>
  );
}
