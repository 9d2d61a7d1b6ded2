import { SegmentedControl, Select } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Panel } from '../page.tsx';

/** The number of choices that fit side by side in every language. */
const few = { wide: 5, narrow: 3 };

/** Shows a list under its title, with one filter beside the title; '' selects everything. */
export function FilteredPanel(props: {
  title: string;
  hint: string;
  /** The label of the filter, for screen readers. */
  label: string;
  choices: { value: string; label: string }[];
  children: (chosen: string) => ReactNode;
}) {
  const { choices, label } = props;
  const isNarrow = useMediaQuery('(max-width: 460px)');
  const [chosen, setChosen] = useState('');
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
      {props.children(chosen)}
    </Panel>
  );
}
