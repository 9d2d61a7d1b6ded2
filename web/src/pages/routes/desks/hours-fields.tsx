import { Button, MultiSelect, Select, TextInput } from '@mantine/core';
import { useLanguage, useT } from '../../../i18n/use-t.tsx';
import { useClosingList } from '../../../ui/forms/use-closing-list.ts';
import css from '../routes.module.css';
import type { Hours } from './desk-draft.ts';

type Time = Hours['times'][number];

const weekdays: Time['days'] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

interface FieldsProps<T> {
  value: T;
  problem: (field: string) => string | undefined;
  onChange: (value: T) => void;
}

/** When the team answers: a time zone, and rows of days with a start and an end. */
export function HoursFields({ value, problem, onChange }: FieldsProps<Hours>) {
  const { alerts, desks: words } = useT();
  const { timezone, times } = value;
  const setTimes = (next: Time[]) => onChange({ ...value, times: next });
  return (
    <>
      <Select
        label={alerts.timezone}
        data={[...new Set([timezone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]}
        searchable
        limit={60}
        allowDeselect={false}
        value={timezone}
        error={problem('working_hours.timezone')}
        onChange={(zone) => onChange({ ...value, timezone: zone ?? 'UTC' })}
      />
      {times.map((time, index) => (
        <TimeRow
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name.
          key={index}
          value={time}
          problem={(field) => problem(`working_hours.times[${index}].${field}`)}
          onChange={(next) => setTimes(times.with(index, next))}
          onRemove={() => setTimes(times.toSpliced(index, 1))}
        />
      ))}
      <Button
        variant="default"
        onClick={() => setTimes([...times, { days: ['sat'], start: '10:00', end: '14:00' }])}
      >
        {words.addHours}
      </Button>
    </>
  );
}

function TimeRow(props: FieldsProps<Time> & { onRemove: () => void }) {
  const { value, problem, onChange } = props;
  const { alerts, common, desks: words } = useT();
  const { locale } = useLanguage();
  const list = useClosingList();
  const dayName = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
  const time = (name: 'start' | 'end', label: string) => (
    <TextInput
      type="time"
      label={label}
      value={value[name]}
      error={problem(name)}
      onChange={({ currentTarget }) => onChange({ ...value, [name]: currentTarget.value })}
    />
  );
  return (
    <div className={css.form}>
      <MultiSelect
        label={words.days}
        // 1 January 2024 was a Monday.
        data={weekdays.map((day, index) => ({
          value: day,
          label: dayName.format(Date.UTC(2024, 0, index + 1)),
        }))}
        {...list}
        value={value.days}
        error={problem('days')}
        onChange={(days) =>
          onChange({ ...value, days: weekdays.filter((day) => days.includes(day)) })
        }
      />
      <div className={css.pair}>
        {time('start', alerts.quietStart)}
        {time('end', alerts.quietEnd)}
      </div>
      <Button variant="subtle" justify="start" w="fit-content" onClick={props.onRemove}>
        {common.remove}
      </Button>
    </div>
  );
}
