import { PasswordInput } from '@mantine/core';
import { useT } from '../i18n/use-t.tsx';

/** A secret that can be looked at while it is typed. */
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
  const { entry } = useT();
  return (
    <PasswordInput
      withAsterisk={false}
      visibilityToggleButtonProps={{ 'aria-label': entry.showPassword }}
      {...rest}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
