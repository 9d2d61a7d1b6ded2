import type { Vault } from '../../core/access/vault.ts';
import {
  type BotNumber,
  type BotSettingName,
  type BotSettings,
  type BotSwitch,
  botLists,
  botSwitches,
  type PlainBotSetting,
  plainBotValues,
  type SealedBotColumn,
  sealedBotSettings,
} from '../../core/bots/bot-settings.ts';
import { createSealedCache } from '../access/sealed-cache.ts';

export type BotSource = 'cli' | 'web';

/** A registered bot with its secrets in plain text: never return it to a client unchanged. */
export interface BotRecord extends BotSettings {
  id: number;
  platform_id: number;
  token: string;
  username: string;
  source: BotSource;
  disabled: boolean;
  created_at: number;
  updated_at: number;
}

export type BotPatch = Partial<Omit<BotRecord, 'id' | 'source' | 'created_at' | 'updated_at'>>;

/** One column per setting. Booleans are 0 and 1, lists JSON. */
export type BotRow = {
  [Name in PlainBotSetting]: Name extends BotSwitch | BotNumber ? number : string;
} & Record<SealedBotColumn, string> & {
    id: number;
    platform_id: number;
    token_hash: string;
    token_sealed: string;
    username: string;
    source: string;
    disabled: number;
    created_at: number;
    updated_at: number;
  };

/** Reads and writes bots with their sealed columns. */
export interface BotCodec {
  toRecord(row: BotRow): BotRecord;
  settingsOf(row: BotRow): BotSettings;
  /** Returns the columns of a patch that are stored sealed; a seal is bound to the row's ID. */
  sealed(id: number, patch: BotPatch): Partial<BotRow>;
  tokenHash(token: string): string;
}

export function createBotCodec(vault: Vault): BotCodec {
  const opened = createSealedCache(vault);
  const tokenHash = (token: string) => vault.lookupHash(token);

  function toRecord(row: BotRow): BotRecord {
    const { id, platform_id, username, created_at, updated_at } = row;
    return {
      id,
      platform_id,
      username,
      created_at,
      updated_at,
      ...settingsOf(row),
      source: row.source as BotSource,
      token: opened.open(row.token_sealed, tokenContext(id)),
      disabled: row.disabled === 1,
    };
  }

  function settingsOf(row: BotRow): BotSettings {
    const settings: Partial<Record<BotSettingName, BotSettings[BotSettingName]>> = {};
    for (const name of botSwitches) settings[name] = row[name] === 1;
    for (const name of plainBotValues) settings[name] = row[name];
    for (const name of botLists) settings[name] = JSON.parse(row[name]) as string[];
    for (const { name, column, context, wasPlain } of sealedBotSettings) {
      const isPlain = wasPlain && vault.keyIdOf(row[column]) === undefined;
      settings[name] = isPlain
        ? row[column]
        : opened.open(row[column], settingContext(row.id, context));
    }
    return settings as BotSettings;
  }

  function sealed(id: number, { token, ...bot }: BotPatch): Partial<BotRow> {
    const set: Partial<BotRow> = {};
    if (token !== undefined) {
      set.token_hash = tokenHash(token);
      set.token_sealed = vault.seal(token, tokenContext(id));
    }
    for (const { name, column, context } of sealedBotSettings) {
      const value = bot[name];
      if (value !== undefined) set[column] = vault.seal(value, settingContext(id, context));
    }
    return set;
  }

  return { toRecord, settingsOf, sealed, tokenHash };
}

const tokenContext = (id: number) => `bots:${id}:token`;
const settingContext = (id: number, context: string) => `bots:${id}:${context}`;
/** The values until the ID of a new bot is known. */
export const unsealed = Object.fromEntries(
  sealedBotSettings.map(({ column }) => [column, '']),
) as Pick<BotRow, SealedBotColumn>;

export function flag(value: boolean | undefined): number {
  return value ? 1 : 0;
}

/** Returns the columns of a patch that are stored unchanged. */
export function columns({ token: _token, ...patch }: BotPatch): Partial<BotRow> {
  const set: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || sealedBotSettings.some((sealed) => sealed.name === name)) continue;
    if (typeof value === 'boolean') set[name] = flag(value);
    else set[name] = Array.isArray(value) ? JSON.stringify(value) : value;
  }
  return set as Partial<BotRow>;
}
