import { SegmentedControl, Select } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Panel } from '../page.tsx';

/** As many as stand side by side in every language. */
const few = { wide: 5, narrow: 3 };

/** A list under its title, and beside that the one choice that narrows it; '' is everything. */
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
