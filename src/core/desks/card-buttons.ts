/* The buttons of the pinned card: they do what the commands of the same names do. */
import { ownButtonData, readOwnButton } from '../messages/own-buttons.ts';
import type { DeskLanguage } from './desk-options.ts';

const part = 'desk';
const actions = ['close', 'assign', 'ban', 'unban'] as const;
type CardAction = (typeof actions)[number];

/** Returns the topic and the command of a button; undefined for other data. */
export function readCardButton(data: string) {
  const button = readOwnButton(part, data);
  const command = actions.find((one) => one === button?.action);
  return button && command && { id: button.id, nonce: button.nonce, command };
}

/** A button whose label is in the language of the desk. */
export interface DeskButton {
  does: CardAction;
  data: string;
}

export const buttonLabels: Record<DeskLanguage, Record<CardAction, string>> = {
  en: { close: 'Done', assign: 'Assign to me', ban: 'Ban', unban: 'Unban' },
  ru: { close: 'Готово', assign: 'Взять себе', ban: 'Заблокировать', unban: 'Разблокировать' },
  'zh-CN': { close: '完成', assign: '分配给我', ban: '封禁', unban: '解除封禁' },
};

/** What is done already has no button. */
export function cardButtons(
  id: number,
  nonce: string,
  { done = false, banned = false }: { done?: boolean; banned?: boolean },
): DeskButton[][] {
  const button = (action: CardAction): DeskButton => ({
    does: action,
    data: ownButtonData({ part, id, nonce, action }),
  });
  return [
    [...(done ? [] : [button('close')]), button('assign')],
    [button(banned ? 'unban' : 'ban')],
  ];
}
