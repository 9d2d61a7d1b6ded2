import { TextInput } from '@mantine/core';

/** A date and time in the time zone of the browser. */
export function MomentField(props: {
  label: string;
  /** Shown below the label, which is then visible. */
  hint?: string;
  error?: string | undefined;
  /** Unix seconds; undefined if it is not complete. */
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  return (
    <TextInput
      type="datetime-local"
      {...(props.hint === undefined
        ? { 'aria-label': props.label }
        : { label: props.label, description: props.hint })}
      error={props.error}
      min={localText(Date.now() / 1_000)}
      value={props.value === undefined ? '' : localText(props.value)}
      onChange={(event) => {
        const at = new Date(event.currentTarget.value).getTime();
        props.onChange(Number.isNaN(at) ? undefined : Math.floor(at / 1_000));
      }}
    />
  );
}

/** The form of the field: local time without a zone. */
function localText(seconds: number): string {
  const at = new Date(seconds * 1_000);
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Nine o'clock tomorrow. */
export function tomorrowMorning(): number {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  return at.setHours(9, 0, 0, 0) / 1_000;
}
