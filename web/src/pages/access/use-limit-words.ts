import type { ApiKey } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';

/** The limits of a key in its row: '' if it has none. */
export function useLimitWords(): (key: ApiKey) => string {
  const { access } = useT();
  return (key) =>
    [
      key.read_chats && access.readsChats(key.read_chats.length),
      key.write_chats && access.writesChats(key.write_chats.length),
      key.daily_writes > 0 && access.writesToday(key.writes_today, key.daily_writes),
    ]
      .filter(Boolean)
      .map((words) => ` · ${words}`)
      .join('');
}
