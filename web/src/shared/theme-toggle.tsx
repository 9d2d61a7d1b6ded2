import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useT } from '../i18n/use-t.tsx';
import { Icon } from '../ui/icon.tsx';

export function useThemeToggle(): { dark: boolean; toggle: () => void } {
  const dark = useComputedColorScheme('light') === 'dark';
  const { setColorScheme } = useMantineColorScheme();
  return { dark, toggle: () => setColorScheme(dark ? 'light' : 'dark') };
}

export function ThemeToggle() {
  const { look } = useT();
  const { dark, toggle } = useThemeToggle();
  return (
    <Tooltip label={look.theme}>
      <ActionIcon variant="subtle" color="gray" aria-label={look.theme} onClick={toggle}>
        <Icon name={dark ? 'sun' : 'moon'} />
      </ActionIcon>
    </Tooltip>
  );
}
