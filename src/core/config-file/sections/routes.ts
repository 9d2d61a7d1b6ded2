import { chatConditions } from '../../routing/condition-types.ts';
import { type RouteSettings, routeDefaults } from '../../routing/route-settings.ts';
import { createNumbering, type FileSection, type GivenEntry, movedOnce } from '../file-section.ts';

export interface RouteInFile extends Partial<RouteSettings> {
  source: number;
  target: number;
  action: RouteSettings['action'];
}

export const routes: FileSection<readonly RouteInFile[], GivenEntry<'route', RouteInFile>> = {
  entries(part) {
    const numbered = createNumbering();
    return part.map((given) => {
      const condition = given.condition_type || routeDefaults.condition_type;
      const fields = { ...routeDefaults, ...given, condition_type: condition };
      return { kind: 'route', name: numbered(nameOf(fields)), fields, given };
    });
  },
  withChats: (part, idOf) =>
    movedOnce(part, (route) => {
      const { source_chat_id: from, target_chat_id: to, condition_value: value } = route;
      const isChat = chatConditions.some((type) => type === route.condition_type);
      // The later validation reports a value that names no chat.
      const chatId = Number(value) || 0;
      const isMoved = isChat && idOf(chatId) !== chatId;
      return {
        ...route,
        ...(from === undefined ? {} : { source_chat_id: idOf(from) }),
        ...(to === undefined ? {} : { target_chat_id: idOf(to) }),
        ...(isMoved ? { condition_value: String(idOf(chatId)) } : {}),
      };
    }),
  written: (part, writer) =>
    part.map(({ source, target, action, ...settings }) => ({
      source,
      target,
      action,
      ...writer.settings(settings, routeDefaults),
    })),
};

function nameOf(route: Required<RouteInFile>): string {
  const { source, target, action, condition_type: type, condition_value: value } = route;
  const from = placeIn(' in chat', route.source_chat_id, route.source_thread_id);
  const to = placeIn(' to chat', route.target_chat_id, route.target_thread_id);
  const condition = value === '' ? type : `${type} ${JSON.stringify(value)}`;
  return `${source} → ${target}${to}: ${action} ${condition}${from}`;
}

function placeIn(words: string, chatId: number, threadId: number): string {
  if (chatId === 0) return '';
  return `${words} ${chatId}${threadId === 0 ? '' : ` topic ${threadId}`}`;
}
