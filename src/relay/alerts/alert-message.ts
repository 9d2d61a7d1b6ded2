/* Writes the Telegram messages about alerts. One message may be about several alerts: a digest. */
import type { AlertChannel } from '../../core/alerts/alert-channel.ts';
import { alertUrl } from '../../core/alerts/alert-url.ts';
import { type Alert, alertText, kindOf, type Severity } from '../../core/alerts/alerts.ts';
import { ownButtonPrefix } from '../../core/messages/own-buttons.ts';

/** The actions of buttons: two of certain alerts, and two of every alert. */
export const buttonActions = ['retry', 'replay', 'acknowledge', 'mute'] as const;
export type ButtonAction = (typeof buttonActions)[number];

const signs: Record<Severity, string> = { critical: '🔴', warning: '🟡', info: '🔵' };
const buttonNames: Record<ButtonAction, string> = {
  retry: 'Retry now',
  replay: 'Replay',
  acknowledge: 'Acknowledge',
  mute: 'Mute 1 h',
};
/** The prefix of the data of buttons. */
export const buttonPrefix = `${ownButtonPrefix}alert:`;
const mostLines = 30;
const mostCharacters = 4_000;

/** Returns the parameters of a message, without its chat. */
export function alertMessage(
  channel: Pick<AlertChannel, 'allowed_user_ids'>,
  alerts: readonly Alert[],
  publicUrl: string,
): { text: string; reply_markup?: object } {
  const [first] = alerts;
  if (alerts.length !== 1 || !first) return { text: digest(alerts) };
  const url = alertUrl(publicUrl, first);
  const text = [...linesOf(first), ...(url === '' ? [] : [url])].join('\n');
  const isQuiet = first.resolvedAt !== 0 || channel.allowed_user_ids.length === 0;
  return { text: cut(text), ...(isQuiet ? {} : { reply_markup: buttons(first) }) };
}

/** Lists the open alerts for `/status`. */
export function statusMessage(open: readonly Alert[]): { text: string } {
  return { text: open.length === 0 ? '✅ All is well. No open alerts.' : digest(open) };
}

function linesOf(alert: Alert): string[] {
  const { acknowledgedBy, resolvedAt, severity, openedAt, occurrences } = alert;
  const isOver = resolvedAt !== 0;
  const times = occurrences > 1 ? `. Happened ${occurrences} times` : '';
  return [
    `${isOver ? '✅' : signs[severity]} ${alertText(alert)}`,
    isOver
      ? `Resolved after ${duration(resolvedAt - openedAt)}${times}`
      : `Since ${clockTime(openedAt)}${times}`,
    ...(isOver || acknowledgedBy === '' ? [] : [`Acknowledged by ${acknowledgedBy}`]),
  ];
}

function digest(alerts: readonly Alert[]): string {
  const open = alerts.filter(({ resolvedAt }) => resolvedAt === 0);
  const lines = alerts
    .slice(0, mostLines)
    .map((one) => `${one.resolvedAt === 0 ? signs[one.severity] : '✅'} ${alertText(one)}`);
  const more = alerts.length - lines.length;
  const head =
    open.length === alerts.length
      ? `${alerts.length} open alert${alerts.length === 1 ? '' : 's'}`
      : `${alerts.length} alerts, ${alerts.length - open.length} resolved`;
  return cut([head, ...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'));
}

function buttons({ acknowledgedBy, id, kind }: Alert): object {
  const names = buttonActions.filter((name) => {
    if (name === 'acknowledge') return acknowledgedBy === '';
    return name === 'mute' || name === kindOf(kind).action;
  });
  return {
    inline_keyboard: [
      names.map((name) => ({
        text: buttonNames[name],
        callback_data: `${buttonPrefix}${name}:${id}`,
      })),
    ],
  };
}

/** Returns the action and alert of a pressed button; undefined for a button of an app. */
export function pressedButton(data: string): { action: ButtonAction; alertId: number } | undefined {
  if (!data.startsWith(buttonPrefix)) return undefined;
  const [, name, id] = /^(\w+):(\d{1,15})$/.exec(data.slice(buttonPrefix.length)) ?? [];
  const action = buttonActions.find((known) => known === name);
  return action && { action, alertId: Number(id) };
}

const clockTime = (ms: number) =>
  `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`;
}

function cut(text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters).toWellFormed()}…`;
}
