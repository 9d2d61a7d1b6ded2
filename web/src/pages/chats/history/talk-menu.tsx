import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { TopicKey } from '../../../api/chats.ts';
import { exportAddress } from '../../../api/messages.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { lazyPart } from '../../../ui/feedback/lazy-dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useMay } from '../../../shared/use-session.ts';
import { useExport } from '../../../shared/use-export.ts';

const AskDialog = lazyPart(async () => (await import('../questions/ask-dialog.tsx')).AskDialog);

export function TalkMenu(props: {
  chatKey: TopicKey;
  title: string;
  /** The number of stored messages, for the progress of an export. */
  count: number | undefined;
}) {
  const { bot_id: bot, chat_id: chat, message_thread_id: topic } = props.chatKey;
  const t = useT();
  const mayAsk = useMay('chats', 'send');
  const maySeeStatistics = useMay('bots', 'read');
  const [isAsking, setAsking] = useState(false);
  const exportIt = useExport();
  const get = (format: 'csv' | 'jsonl') =>
    exportIt({
      address: exportAddress(props.chatKey, format),
      name: `${fileName(props.title)}.${format}`,
      lines: props.count,
    });
  return (
    <>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.chats.chatMenu}>
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayAsk ? (
            <Menu.Item
              leftSection={<Icon name="press" size={16} />}
              onClick={() => setAsking(true)}
            >
              {t.questions.ask}
            </Menu.Item>
          ) : null}
          {maySeeStatistics ? (
            <Menu.Item
              component={Link}
              to="/statistics"
              search={{ bot, chat, ...(topic === undefined ? {} : { topic }) } as never}
              leftSection={<Icon name="chart" size={16} />}
            >
              {t.nav.statistics}
            </Menu.Item>
          ) : null}
          <Menu.Item leftSection={<Icon name="file" size={16} />} onClick={() => get('csv')}>
            {t.chats.exportAs('CSV')}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="file" size={16} />} onClick={() => get('jsonl')}>
            {t.chats.exportAs('JSON')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isAsking ? <AskDialog chatKey={props.chatKey} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

/** Removes characters from a title that file systems reject. */
function fileName(title: string): string {
  return title.replaceAll(/[^\p{L}\p{N} _-]/gu, '').trim() || 'chat';
}
