import { Group } from '@mantine/core';
import type { Bot, Message } from '../../api/client/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import css from './entry.module.css';
import { LinkButton } from '../../ui/link-button.tsx';

export function Arrived(props: { bot: Bot; message: Message; tookMs: number }) {
  const { bot, message } = props;
  const {
    bot: { connectApp },
    welcome,
  } = useT();
  const format = useFormat();
  const name = [message.first_name, message.last_name].filter(Boolean).join(' ');
  return (
    <div role="status">
      <div className={css.arrived}>
        <Avatar id={message.user_id} name={name} size={36} />
        <div>
          <strong>{name}</strong>
          <div className={css.arrivedText}>{message.text}</div>
        </div>
      </div>
      <p>
        <strong>{welcome.arrivedTitle}</strong>
        {props.tookMs > 0 ? `, ${welcome.took(format.duration(props.tookMs))}` : ''}.{' '}
        {welcome.arrivedHint}
      </p>
      <Group gap="sm">
        <LinkButton
          to="/chats/$botId/$chatId"
          params={{ botId: String(bot.id), chatId: String(message.chat_id) }}
        >
          {welcome.openChat}
        </LinkButton>
        <LinkButton
          to="/bots/$botId"
          params={{ botId: String(bot.id) }}
          {...(bot.long_poll_enabled ? { search: { tab: 'apps' } } : {})}
          variant="default"
        >
          {bot.long_poll_enabled ? connectApp : welcome.openBot}
        </LinkButton>
        <LinkButton to="/phones" variant="default">
          {welcome.openSandbox}
        </LinkButton>
      </Group>
    </div>
  );
}
