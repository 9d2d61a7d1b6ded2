import { Checkbox } from '@mantine/core';
import { useT } from '../../../i18n/use-t.tsx';

/** The choice for apps that poll: only the relay polls Telegram, so apps poll the relay. */
export function PollingChoice(props: { checked: boolean; onChange: (checked: boolean) => void }) {
  const { bots } = useT();
  return (
    <Checkbox
      label={bots.polls}
      description={bots.pollsHint}
      checked={props.checked}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}
