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
};
const bot = { disabled: false, backend_status: '' as const };
const reader = { parked: 0, waiting: false };

describe('the state of an app', () => {
  it('is connected while it polls, or its backend accepts', () => {
    expect(appState(app, bot, reader, now)).toBe('connected');
    const webhook = { ...app, mode: 'webhook' as const, last_seen_at: ago(600) };
    expect(appState(webhook, bot, reader, now)).toBe('connected');
  });

  it('is not said to be connected when it polled long ago, or never called', () => {
    expect(appState({ ...app, last_seen_at: ago(10) }, bot, reader, now)).toBe('notPolling');
    expect(appState({ ...app, last_seen_at: '' }, bot, reader, now)).toBe('notSeen');
    const waits = { ...reader, waiting: true };
    expect(appState({ ...app, last_seen_at: ago(10) }, bot, waits, now)).toBe('connected');
  });

  it('puts the worst first', () => {
    const behind = { ...app, behind: 5 };
    expect(appState(behind, bot, reader, now)).toBe('behind');
    const webhook = { ...behind, mode: 'webhook' as const };
    expect(appState(webhook, bot, { ...reader, parked: 1 }, now)).toBe('failing');
    const disabled = { ...webhook, disabled: true };
    expect(appState(disabled, bot, { ...reader, parked: 1 }, now)).toBe('disabled');
  });

  it('follows the bot for the app of the bot itself', () => {
    const own = { ...app, name: 'default', mode: 'webhook' as const };
    expect(appState(own, { ...bot, backend_status: 'paused' }, reader, now)).toBe('failing');
    expect(appState(own, { ...bot, disabled: true }, reader, now)).toBe('disabled');
  });
});
