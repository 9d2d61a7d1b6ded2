import { PasswordInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useT } from '../../i18n/use-t.tsx';

/** A password field that can show its value. */
export function PasswordField(props: {
  label: string;
  description?: string;
  autoComplete: 'off' | 'current-password' | 'new-password';
  value: string;
  onChange: (value: string) => void;
  name?: string;
  required?: boolean;
  minLength?: number;
  disabled?: boolean;
  error?: string | undefined;
  flex?: number;
}) {
  const { onChange, ...rest } = props;
  const { minLength = 0, value } = props;
  const { entry } = useT();
  const [isRefused, setRefused] = useState(false);
  const isShort = isRefused && value.length < minLength;
  const error = isShort ? entry.passwordTooShort(minLength) : props.error;

  /** Shows the error at the field, like all errors, not in the browser's bubble. */
  function onInvalid(event: FormEvent<HTMLInputElement>): void {
    if (minLength === 0) return;
    event.preventDefault();
    setRefused(true);
    const field = event.currentTarget;
    if (field.form?.querySelector('input:invalid') === field) field.focus();
  }
  return (
    <PasswordInput
      withAsterisk={false}
      visibilityToggleButtonProps={{ 'aria-label': entry.showPassword }}
      {...rest}
      error={error}
      aria-invalid={error ? true : undefined}
      onInvalid={onInvalid}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
