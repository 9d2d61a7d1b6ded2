import { useEffect, useRef, useState } from 'react';
import { tellWriting, type TopicKey, topicKey } from '../../../api/chats.ts';
import { onLiveEvent } from '../../../api/client/live.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { useSession } from '../../../shared/use-session.ts';
import css from './inbox.module.css';

const tellEveryMs = 3_000;
const shownMs = 7_000;

/** Returns a function to call while the user writes; it tells others every few seconds. */
export function useTellWriting({ bot_id, chat_id, message_thread_id }: TopicKey): () => void {
  const toldAt = useRef(-tellEveryMs);
  return () => {
    if (performance.now() - toldAt.current < tellEveryMs) return;
    toldAt.current = performance.now();
    // It is only a hint.
    void tellWriting(topicKey(bot_id, chat_id, message_thread_id)).catch(() => undefined);
  };
}

/** Says who else writes an answer in this chat. */
export function OthersWriting({ bot_id, chat_id, message_thread_id: topic }: TopicKey) {
  const { inbox } = useT();
  const me = useSession().id;
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    const timers = new Map<string, number>();
    function remove(name: string): void {
      window.clearTimeout(timers.get(name));
      timers.delete(name);
      setNames([...timers.keys()]);
    }
    const stop = onLiveEvent((event) => {
      const { data, type } = event;
      if (data.bot_id !== bot_id || !('chat_id' in data) || data.chat_id !== chat_id) return;
      const at = 'message_thread_id' in data ? data.message_thread_id : undefined;
      if (topic !== undefined && at !== topic) return;
      if (type === 'message' && data.author) remove(data.author.name);
      if (type !== 'chat.writing') return;
      const { id, kind, name } = data.author;
      if (kind === 'user' && id === me) return;
      window.clearTimeout(timers.get(name));
      timers.set(
        name,
        window.setTimeout(() => remove(name), shownMs),
      );
      setNames([...timers.keys()]);
    });
    return () => {
      stop();
      for (const timer of timers.values()) window.clearTimeout(timer);
      setNames([]);
    };
  }, [bot_id, chat_id, topic, me]);
  return (
    <div role="status" className={names.length > 0 ? css.writing : undefined}>
      {names.length > 0 ? inbox.writing(names.join(', ')) : null}
    </div>
  );
}
