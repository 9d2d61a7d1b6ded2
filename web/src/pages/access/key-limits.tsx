import { NumberInput, TagsInput } from '@mantine/core';
import { useT } from '../../i18n/use-t.tsx';

/** What is asked for in the form; no chats mean all of them. */
export interface KeyLimits {
  readChats: string[];
  writeChats: string[];
  dailyWrites: number;
}

export const noLimits: KeyLimits = { readChats: [], writeChats: [], dailyWrites: 0 };

const isChatId = (text: string) => /^-?[1-9]\d{0,15}$/.test(text);
const split = (text: string) => text.split(/[\s,]+/).filter(Boolean);
const listed = (ids: string[]) => (ids.length === 0 ? null : ids.map(Number));

export function limitsInRequest({ readChats, writeChats, dailyWrites }: KeyLimits) {
  return {
    read_chats: listed(readChats),
    write_chats: listed(writeChats),
    daily_writes: dailyWrites,
  };
}

/** Keys that manage are for all chats, so `hasChats` is false for them. */
export function LimitFields(props: {
  limits: KeyLimits;
  hasChats: boolean;
  onChange: (part: Partial<KeyLimits>) => void;
}) {
  const { limits, onChange } = props;
  const { access } = useT();
  const chats = (field: 'readChats' | 'writeChats') => (
    <TagsInput
      label={access[field]}
      description={access.chatsHint}
      placeholder={limits[field].length === 0 ? '-1001234567890' : ''}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      value={limits[field]}
      // Text that is no ID stays, so that the key is not created without its limit.
      error={!limits[field].every(isChatId)}
      onChange={(ids) => onChange({ [field]: ids.flatMap(split) })}
    />
  );
  return (
    <>
      {props.hasChats ? chats('readChats') : null}
      {props.hasChats ? chats('writeChats') : null}
      <NumberInput
        label={access.dailyWrites}
        description={access.dailyWritesHint}
        allowDecimal={false}
        min={0}
        max={1_000_000}
        value={limits.dailyWrites}
        onChange={(value) => onChange({ dailyWrites: Number(value) || 0 })}
      />
    </>
  );
}
