import { commandName } from '../command-name.ts';

const commands =
  'start|demo|bots|apps|readers|keys|users|send|alerts|doctor|export|apply|backup|restore|secrets|import|sandbox|version|--help|\\[';
const mention = new RegExp(`(?<![\\w./-])bot-relay (?=${commands})`, 'g');

/** Texts call the command `bot-relay`; what is printed names it as it can be typed here. */
export const asTyped = (text: string, name = commandName) =>
  text.replace(mention, () => `${name} `);
