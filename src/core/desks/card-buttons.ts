/* The buttons of the pinned card: they do what the commands of the same names do. */
import { ownButtonData, readOwnButton } from '../messages/own-buttons.ts';
import { type Reason, reason } from '../reasons/reason.ts';

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
  says: Reason;
  data: string;
}

const labels: Record<CardAction, Reason> = {
  close: reason('desk_button_close'),
  assign: reason('desk_button_assign'),
  ban: reason('desk_button_ban'),
  unban: reason('desk_button_unban'),
};

/** What is done already has no button. */
export function cardButtons(
  id: number,
  nonce: string,
  { done = false, banned = false }: { done?: boolean; banned?: boolean },
): DeskButton[][] {
  const button = (action: CardAction) => ({
    says: labels[action],
    data: ownButtonData({ part, id, nonce, action }),
  });
  return [
    [...(done ? [] : [button('close')]), button('assign')],
    [button(banned ? 'unban' : 'ban')],
  ];
}
