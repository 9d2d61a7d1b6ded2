import { Box, SegmentedControl, Select } from '@mantine/core';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { SearchField } from '../forms/search-field.tsx';
import { Panel } from '../page.tsx';

const typingMs = 250;

/** The number of choices that fit side by side in every language. */
const few = { wide: 5, narrow: 3 };

/** Shows a list under its title, with one filter beside the title; '' selects everything. */
export function FilteredPanel(props: {
  title: string;
  hint: string;
  /** The label of the filter, for screen readers. */
  label: string;
  choices: { value: string; label: string }[];
  /** The label of a search field, if the list can be searched. */
  searchLabel?: string;
  children: (chosen: string, q: string) => ReactNode;
}) {
  const { choices, label } = props;
  const isNarrow = useMediaQuery('(max-width: 460px)');
  const [chosen, setChosen] = useState('');
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), typingMs);
  const field = { size: 'xs', 'aria-label': label, data: choices, value: chosen } as const;
  return (
    <Panel
      flush
      title={props.title}
      hint={props.hint}
      actions={
        choices.length > (isNarrow ? few.narrow : few.wide) ? (
          <Select {...field} allowDeselect={false} onChange={(value) => setChosen(value ?? '')} />
        ) : (
          <SegmentedControl {...field} onChange={setChosen} />
        )
      }
    >
      {props.searchLabel === undefined ? null : (
        <Box px={20} py={10}>
          <SearchField size="xs" label={props.searchLabel} value={text} onChange={setText} />
        </Box>
      )}
      {props.children(chosen, q)}
    </Panel>
  );
}
