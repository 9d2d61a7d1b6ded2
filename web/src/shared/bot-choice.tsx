import { MultiSelect } from '@mantine/core';
import { useClosingList } from '../ui/forms/use-closing-list.ts';
import { useQuery } from '@tanstack/react-query';
import { botName, botsQuery } from '../api/bots.ts';

export function BotChoice(props: {
  label: string;
  hint?: string;
  value: number[];
  onChange: (ids: number[]) => void;
}) {
  const bots = useQuery(botsQuery).data ?? [];
  const list = useClosingList();
  return (
    <MultiSelect
      label={props.label}
      description={props.hint}
      data={bots.map((bot) => ({ value: String(bot.id), label: `${botName(bot)} (${bot.id})` }))}
      value={props.value.map(String)}
      onChange={(ids) => props.onChange(ids.map(Number))}
      searchable
      {...list}
      clearable
      clearButtonProps={{ 'aria-label': props.label }}
      comboboxProps={{ withinPortal: true }}
    />
  );
}
