import { describe, expect, it } from 'vitest';
import { appState } from '../../../web/src/pages/bots/apps/app-state.ts';

const now = Date.parse('2026-05-01T12:00:00Z');
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
const app = {
  name: 'orders',
  mode: 'poll' as const,
  disabled: false,
  last_seen_at: ago(1),
  behind: 0,
  sent: 0,
};
const bot = { disabled: false };
const polled = { reader: { waiting: false }, backend: undefined };
const pushed = (backend_status: 'ok' | 'unknown' | 'failing' | 'paused', minutes = 1) => ({
  reader: { waiting: false },
  backend: {
    backend_status,
    backend_error: '',
    backend_error_detail: null,
    backend_seen_at: ago(minutes),
  },
});

describe('the state of an app', () => {
  it('is connected while it polls, or its backend accepts', () => {
    expect(appState(app, bot, polled, now)).toBe('connected');
    const webhook = { ...app, mode: 'webhook' as const };
    expect(appState(webhook, bot, pushed('ok'), now)).toBe('connected');
  });

  it('is not said to be connected when its backend was not heard from lately', () => {
    const webhook = { ...app, mode: 'webhook' as const };
    expect(appState(webhook, bot, pushed('ok', 7), now)).toBe('silent');
    expect(appState(webhook, bot, pushed('unknown'), now)).toBe('notSeen');
    expect(appState(webhook, bot, polled, now)).toBe('silent');
  });

  it('is not said to be connected when it polled long ago, or never called', () => {
    expect(appState({ ...app, last_seen_at: ago(10) }, bot, polled, now)).toBe('notPolling');
    expect(appState({ ...app, last_seen_at: '' }, bot, polled, now)).toBe('notSeen');
    expect(appState({ ...app, last_seen_at: '', sent: 2 }, bot, polled, now)).toBe('notPolling');
    const waits = { ...polled, reader: { waiting: true } };
    expect(appState({ ...app, last_seen_at: ago(10) }, bot, waits, now)).toBe('connected');
  });

  it('puts the worst first', () => {
    const behind = { ...app, behind: 5 };
    expect(appState(behind, bot, polled, now)).toBe('behind');
    const webhook = { ...behind, mode: 'webhook' as const };
    expect(appState(webhook, bot, pushed('failing'), now)).toBe('backendFailing');
    const disabled = { ...webhook, disabled: true };
    expect(appState(disabled, bot, pushed('failing'), now)).toBe('disabled');
  });

  it('follows the bot for the app of the bot itself', () => {
    const own = { ...app, name: 'default', mode: 'webhook' as const };
    expect(appState(own, bot, pushed('paused'), now)).toBe('backendDown');
    expect(appState(own, { disabled: true }, polled, now)).toBe('disabled');
  });
});
