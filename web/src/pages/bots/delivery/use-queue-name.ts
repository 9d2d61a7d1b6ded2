import { useT } from '../../../i18n/use-t.tsx';
import { useChatNames } from '../../../shared/use-chat-names.ts';

/** Whose updates a queue keeps in order: a chat, or somebody outside of any. */
export function useQueueName(botId: number): (queue: string) => string {
  const { deliveries } = useT();
  const titleOf = useChatNames([botId]);
  return (queue) => {
    const id = queue.slice(1);
    if (!/^-?\d+$/.test(id)) return deliveries.otherQueue;
    const known = titleOf(Number(id));
    if (known !== undefined) return known;
    return queue.startsWith('u') ? deliveries.personQueue(id) : deliveries.chatQueue(id);
  };
}
