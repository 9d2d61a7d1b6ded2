import { Select, Textarea, TextInput } from '@mantine/core';
import type { NewRoute } from '../../api/routes.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { needsValue } from './route-words.ts';
import css from './routes.module.css';

const longest = 4_096;

export function ConditionFields(props: {
  draft: NewRoute;
  source: Bot | undefined;
  problem: string | undefined;
  onChange: (part: Partial<NewRoute>) => void;
}) {
  const { draft, problem, source } = props;
  const { routes } = useT();
  const type = draft.condition_type || 'all';
  const value = draft.condition_value ?? '';
  const valueLabel = routes.values[type as keyof typeof routes.values];
  return (
    <>
      <div className={css.pair}>
        <Select
          label={routes.condition}
          data={Object.entries(routes.conditions).map(([key, label]) => ({ value: key, label }))}
          allowDeselect={false}
          value={type}
          onChange={(chosen) =>
            props.onChange({
              condition_type: chosen as typeof draft.condition_type & string,
              condition_value: '',
            })
          }
        />
        {valueLabel ? (
          <TextInput
            label={valueLabel}
            required={needsValue(type)}
            value={value}
            error={problem}
            onChange={(event) => props.onChange({ condition_value: event.currentTarget.value })}
          />
        ) : null}
      </div>
      {type === 'llm' ? (
        <Textarea
          label={routes.examples}
          description={
            source?.llm_routing_enabled
              ? routes.examplesHint
              : `${routes.examplesHint} ${routes.meaningOff}`
          }
          placeholder={routes.examplesSample}
          autosize
          minRows={3}
          maxRows={8}
          maxLength={longest}
          value={value}
          error={problem}
          onChange={(event) => props.onChange({ condition_value: event.currentTarget.value })}
        />
      ) : null}
    </>
  );
}
