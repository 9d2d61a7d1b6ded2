import { Group } from '@mantine/core';
import { useT } from '../i18n/use-t.tsx';
import { LinkButton } from '../ui/link-button.tsx';

export function MessageLink(props: { botId: number; chatId: number; messageId: number }) {
  const { common, timeline } = useT();
  const { messageId } = props;
  const look = { w: 'fit-content', size: 'compact-sm', variant: 'light' } as const;
  const to = {
    to: '/chats/$botId/$chatId',
    params: { botId: String(props.botId), chatId: String(props.chatId) },
  } as const;
  return (
    <Group gap="xs">
      <LinkButton {...look} {...to} search={{ message: messageId }}>
        {common.showMessage}
      </LinkButton>
      <LinkButton {...look} {...to} search={{ message: messageId, timeline: messageId }}>
        {timeline.title}
      </LinkButton>
    </Group>
  );
}
