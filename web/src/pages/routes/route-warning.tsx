import { useQuery } from '@tanstack/react-query';
import { botName } from '../../api/bots.ts';
import { chatQuery } from '../../api/chats.ts';
import { ApiError } from '../../api/client/error.ts';
import type { NewRoute } from '../../api/routes.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Warning } from '../../ui/feedback/warning.tsx';

/** Warns about known reasons why messages of a route would not arrive. */
export function RouteWarning(props: { draft: NewRoute; target: Bot | undefined }) {
  const { draft, target } = props;
  const { routes } = useT();
  const sends = draft.action !== 'drop' && target !== undefined;
  const chatId = draft.target_chat_id === 0 ? draft.source_chat_id : draft.target_chat_id;
  const known = useQuery({
    ...chatQuery(target?.id ?? 0, chatId ?? 0),
    enabled: sends && target.manage_enabled && Boolean(chatId),
  });
  if (!sends || draft.target_chat_id === undefined) return null;
  const name = botName(target);
  const words = () => {
    if (target.disabled) return routes.warnings.disabled(name);
    if (draft.target_chat_id === 0 && target.id === draft.source_bot_id) {
      return routes.warnings.echo(name);
    }
    if (!chatId) return routes.warnings.sameChat(name);
    const isUnknown = known.error instanceof ApiError && known.error.code === 'chat_not_found';
    if (!isUnknown) return '';
    const { unknownChat, unknownPerson } = routes.warnings;
    // Groups and channels have negative ids.
    return chatId > 0 ? unknownPerson(name) : unknownChat(name);
  };
  const warning = words();
  return <div aria-live="polite">{warning === '' ? null : <Warning>{warning}</Warning>}</div>;
}
