import { commandName } from '../command-name.ts';

const commands =
  'start|demo|bots|apps|routes|readers|deliveries|keys|users|chats|messages|send|scheduled|broadcasts|ask|questions|replies|desks|alerts|doctor|export|apply|backup|restore|rebuild|secrets|import|sandbox|mcp|version|--help|\\[';
const mention = new RegExp(`(?<![\\w./-])bot-relay (?=${commands})`, 'g');

/** Texts call the command `bot-relay`; this replaces it with what must be typed here. */
export const asTyped = (text: string, name = commandName) =>
  text.replace(mention, () => `${name} `);

/** Flags that say which service a command is about. */
const targets = { config: '--config', dataDir: '--data-dir', url: '--url' } as const;

/** Returns the command with those flags of this run, so that a hint is about the same service. */
export function commandFor(options: Record<string, unknown>): string {
  const flags = Object.entries(targets).flatMap(([option, flag]) => {
    const value = options[option];
    return typeof value === 'string' ? [flag, quoted(value)] : [];
  });
  return [commandName, ...flags].join(' ');
}

const quoted = (value: string) =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
