import { useT } from '../../../i18n/use-t.tsx';
import { useChatNames } from '../../../shared/use-chat-names.ts';

const queueShape = /^([csu])(-?\d+)(?:c-?\d+)?(?:t(\d+))?$/;

/** Returns the label of a queue: its chat, or a person without a chat, and its topic. */
export function useQueueName(botId: number): (queue: string) => string {
  const { deliveries } = useT();
  const titleOf = useChatNames([botId]);
  return (queue) => {
    const [, kind, id = '', topic] = queueShape.exec(queue) ?? [];
    if (kind === undefined) return deliveries.otherQueue;
    const named = kind === 'u' ? deliveries.personQueue(id) : deliveries.chatQueue(id);
    const whole = titleOf(Number(id)) ?? named;
    return topic === undefined ? whole : deliveries.topicQueue(whole, topic);
  };
}
