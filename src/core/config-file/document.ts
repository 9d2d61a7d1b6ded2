/*
 * A configuration file: bots, apps, routes, desks, saved replies, the language model, users, keys and
 * alert channels, by platform ID or name.
 * An entry is whole: what it leaves out has its default. Only the model keeps what is left out, and
 * webhooks that clients set themselves stay (self-set.ts).
 */
import { botSetting, botSettingNames } from '../bots/bot-settings.ts';
import type { FileSection } from './file-section.ts';
import { isSame, type PlannedChange } from './plan.ts';
import { createVariableNames } from './references.ts';
import { alertChannels } from './sections/alert-channels.ts';
import { bots } from './sections/bots.ts';
import { desks } from './sections/desks.ts';
import { keys } from './sections/keys.ts';
import { model } from './sections/model.ts';
import { routes } from './sections/routes.ts';
import { savedReplies } from './sections/saved-replies.ts';
import { users } from './sections/users.ts';

/** The order in which a file is written and applied. */
const sections = {
  bots,
  routes,
  desks,
  saved_replies: savedReplies,
  model,
  users,
  keys,
  alert_channels: alertChannels,
};
type Sections = typeof sections;
export type Section = keyof Sections;

export type ConfigDocument = { version: 1 } & {
  [Name in Section]?: Parameters<Sections[Name]['entries']>[0];
};
export type FileEntry = ReturnType<Sections[Section]['entries']>[number];
export type EntryKind = FileEntry['kind'];
export type EntryOf<Kind extends EntryKind> = Extract<FileEntry, { kind: Kind }>;
export type Change = PlannedChange<EntryKind>;

export const sectionOf: Readonly<Record<EntryKind, Section>> = {
  bot: 'bots',
  app: 'bots',
  route: 'routes',
  desk: 'desks',
  reply: 'saved_replies',
  model: 'model',
  user: 'users',
  key: 'keys',
  channel: 'alert_channels',
};
export const entryKinds = Object.keys(sectionOf) as EntryKind[];

function fromSections<T>(
  document: ConfigDocument,
  work: (section: FileSection<unknown, FileEntry>, part: unknown) => T,
): [name: string, result: T][] {
  return Object.entries(sections).flatMap(([name, section]): [string, T][] => {
    const part = document[name as Section];
    return part === undefined ? [] : [[name, work(section, part)]];
  });
}

export function entriesOf(document: ConfigDocument): FileEntry[] {
  return fromSections(document, (section, part) => section.entries(part)).flatMap(
    ([, entries]) => entries,
  );
}

/** Returns the document with each of its sections replaced by the result of `work`. */
export function mapSections(
  document: ConfigDocument,
  work: (section: FileSection<unknown, FileEntry>, part: unknown) => unknown,
): ConfigDocument {
  const mapped = Object.fromEntries(fromSections(document, work)) as Omit<
    ConfigDocument,
    'version'
  >;
  return { version: 1, ...mapped };
}

const secretNames: ReadonlySet<string> = new Set([
  'token',
  'api_key',
  ...botSettingNames.filter((name) => botSetting(name).mask === 'secret'),
]);

export interface WrittenConfig {
  config: ConfigDocument;
  /** Environment variables that the file refers to. */
  variables: string[];
}

/**
 * The document in the form that is written to a file: without defaults, and with references instead
 * of secrets.
 */
export function writtenDocument(document: ConfigDocument, withSecrets: boolean): WrittenConfig {
  const variables = createVariableNames();
  /** Leaves out the defaults, so that no reference is written for an empty secret. */
  function settings(given: object, defaults: object, ...owner: unknown[]): object {
    const told = Object.entries(given).filter(
      ([name, value]) =>
        value !== undefined && !isSame(value, defaults[name as keyof typeof defaults]),
    );
    return Object.fromEntries(
      told.map(([name, value]) => [
        name,
        secretNames.has(name) && !withSecrets ? variables.of(...owner, name) : (value as unknown),
      ]),
    );
  }
  const writer = { settings, variable: variables.of };
  const config = mapSections(document, (section, part) => section.written(part, writer));
  return { config, variables: variables.names };
}
