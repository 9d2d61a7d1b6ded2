import { useT } from '../i18n/use-t.tsx';
import { LinkButton } from '../ui/link-button.tsx';

export function MessageLink(props: { botId: number; chatId: number; messageId: number }) {
  const { common } = useT();
  return (
    <LinkButton
      w="fit-content"
      size="compact-sm"
      variant="light"
      to="/chats/$botId/$chatId"
      params={{ botId: String(props.botId), chatId: String(props.chatId) }}
      search={{ message: props.messageId }}
    >
      {common.showMessage}
    </LinkButton>
  );
}
