import { TextInput, type TextInputProps } from '@mantine/core';
import type { Ref } from 'react';
import { Icon } from '../icon.tsx';

interface SearchFieldProps extends Omit<TextInputProps, 'label' | 'onChange'> {
  label: string;
  onChange: (text: string) => void;
  ref?: Ref<HTMLInputElement>;
}

export function SearchField({ label, onChange, ...props }: SearchFieldProps) {
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...props}
    />
  );
}
