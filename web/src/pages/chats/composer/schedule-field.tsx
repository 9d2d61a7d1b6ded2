import { Group } from '@mantine/core';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { MomentField } from '../../../ui/forms/moment-field.tsx';

/** When the message is sent. */
export function ScheduleField(props: { value: number; onChange: (value: number) => void }) {
  const { scheduled } = useT();
  return (
    <Group gap={6} pb={6}>
      <Icon name="clock" size={16} />
      {scheduled.sendLater}
      <MomentField
        label={scheduled.when}
        value={props.value}
        onChange={(at) => {
          if (at !== undefined) props.onChange(at);
        }}
      />
    </Group>
  );
}
