import { Button, Fieldset, Group, Textarea, TextInput } from '@mantine/core';
import { useT } from '../../../i18n/use-t.tsx';
import css from '../routes.module.css';
import type { LocalText, TextsName } from './desk-draft.ts';

/** A text for customers, in some languages. */
export function RepliesField(props: {
  label: string;
  /** The name of the field in requests. */
  name: TextsName;
  value: LocalText[];
  problem: (field: string) => string | undefined;
  onChange: (value: LocalText[]) => void;
}) {
  const { label, name, value, problem, onChange } = props;
  const { common, desks: words } = useT();
  const set = (index: number, part: Partial<LocalText>) =>
    onChange(value.map((one, at) => (at === index ? { ...one, ...part } : one)));
  return (
    <Fieldset legend={label}>
      <div className={css.form}>
        {value.map(({ language, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name.
          <div key={index} className={css.form}>
            <Textarea
              label={words.replyText}
              autosize
              value={text}
              error={problem(`${name}[${index}].text`) ?? (index === 0 ? problem(name) : undefined)}
              onChange={({ currentTarget }) => set(index, { text: currentTarget.value })}
            />
            <Group align="end">
              <TextInput
                label={words.replyLanguage}
                placeholder={words.replyLanguageNone}
                value={language}
                error={problem(`${name}[${index}].language`)}
                onChange={({ currentTarget }) =>
                  set(index, { language: currentTarget.value.trim() })
                }
              />
              <Button variant="subtle" onClick={() => onChange(value.toSpliced(index, 1))}>
                {common.remove}
              </Button>
            </Group>
          </div>
        ))}
        <Button
          variant="default"
          w="fit-content"
          onClick={() => onChange([...value, { language: '', text: '' }])}
        >
          {words.addReply}
        </Button>
      </div>
    </Fieldset>
  );
}
