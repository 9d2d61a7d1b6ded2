import { SegmentedControl, Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Panel } from '../page.tsx';

/** As many as stand side by side. */
const few = 5;

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
  const [chosen, setChosen] = useState('');
  const field = { size: 'xs', 'aria-label': label, data: choices, value: chosen } as const;
  return (
    <Panel
      flush
      title={props.title}
      hint={props.hint}
      actions={
        choices.length > few ? (
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
