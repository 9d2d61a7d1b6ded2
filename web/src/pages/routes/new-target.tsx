import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { botName } from '../../api/bots.ts';
import { post } from '../../api/client/client.ts';
import type { Bot } from '../../api/client/types.ts';
import { worldQuery } from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useAction } from '../../shared/use-action.ts';
import { knownChatsQuery } from '../../shared/use-chat-names.ts';
import css from './routes.module.css';

/** Creates a target for a bot that knows no chat yet. */
export function NewTarget(props: { bot: Bot; onMade: (chatId: number) => void }) {
  const { bot } = props;
  const { routes, sandbox } = useT();
  const client = useQueryClient();
  const chats = useQuery({ ...knownChatsQuery(bot.id), enabled: bot.manage_enabled });
  const isEmpty = chats.data?.length === 0;
  const world = useQuery({ ...worldQuery, enabled: isEmpty }).data;
  const make = useAction({
    async run() {
      const known = world?.users[0];
      const first_name = sandbox.personNames[0] ?? '';
      const owner =
        known?.id ?? (await post('/api/sandbox/users/create', { body: { first_name } })).id;
      const body = { title: sandbox.groupExample, owner, members: [bot.platform_id] };
      return post('/api/sandbox/chats/create', { body });
    },
    refreshes: [['sandbox']],
    done(chat) {
      void client.invalidateQueries({ queryKey: ['chat-names', bot.id] });
      props.onMade(chat.id);
      return routes.groupMade(sandbox.groupExample);
    },
  });
  if (!isEmpty) return null;
  const isPractice = world?.bots.some(({ id }) => id === bot.platform_id) ?? false;
  return (
    <div className={css.newTarget}>
      <span>{isPractice ? routes.noChatsYet(botName(bot)) : routes.addToChat(botName(bot))}</span>
      {isPractice ? (
        <Button
          size="compact-sm"
          variant="light"
          loading={make.isPending}
          onClick={() => make.mutate(undefined)}
        >
          {routes.makeGroup}
        </Button>
      ) : null}
    </div>
  );
}
