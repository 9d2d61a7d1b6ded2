import { useT } from '../../../i18n/use-t.tsx';
import { useChatNames } from '../../../shared/use-chat-names.ts';

/** Returns the label of a queue: its chat, or a person without a chat. */
export function useQueueName(botId: number): (queue: string) => string {
  const { deliveries } = useT();
  const titleOf = useChatNames([botId]);
  return (queue) => {
    const id = queue.slice(1);
    if (!/^[csu]-?\d+$/.test(queue)) return deliveries.otherQueue;
    const known = titleOf(Number(id));
    if (known !== undefined) return known;
    return queue.startsWith('u') ? deliveries.personQueue(id) : deliveries.chatQueue(id);
  };
}
