import { type App, type AppChange, type AppFilter, type NewApp } from '../../../api/apps.ts';
import { defaultPatience } from '../../../api/bot-settings.ts';

/** A filter in the form of the form's fields. */
export interface FilterDraft extends Record<ListField, string[]> {
  regex: string;
}

export interface AppDraft {
  name: string;
  mode: App['mode'];
  backend_url: string;
  secret_token: string;
  receives: 'all' | 'some';
  filter: FilterDraft;
  exclusive: boolean;
  priority: number;
  own_replies: boolean;
  keep_pending: boolean;
  urgent: string[];
  per_topic: boolean;
  pacing: App['pacing'];
  patience: number;
  format: App['format'];
  methods: string[];
}

export type ListField = Exclude<keyof AppFilter, 'regex'>;

const textFields = [
  'kinds',
  'chat_types',
  'commands',
  'keywords',
  'callback_prefixes',
] as const satisfies ListField[];
const idFields = ['chat_ids', 'user_ids', 'thread_ids'] as const satisfies ListField[];

export function draftOf(app?: App): AppDraft {
  const { filter = {} } = app ?? {};
  const list = (field: ListField) => (filter[field] ?? []).map(String);
  const fields = [...textFields, ...idFields].map((field) => [field, list(field)] as const);
  return {
    name: app?.name ?? '',
    mode: app?.mode ?? 'poll',
    backend_url: app?.backend_url ?? '',
    secret_token: app?.secret_token ?? '',
    receives: app && hasConditions(filter) ? 'some' : 'all',
    filter: {
      ...(Object.fromEntries(fields) as Record<ListField, string[]>),
      regex: filter.regex ?? '',
    },
    exclusive: app?.exclusive ?? false,
    priority: app?.priority ?? 0,
    own_replies: app?.own_replies ?? false,
    keep_pending: app?.keep_pending ?? false,
    urgent: app?.urgent ?? [],
    per_topic: app?.per_topic ?? false,
    pacing: app?.pacing ?? 'off',
    patience: app?.patience ?? defaultPatience,
    format: app?.format ?? '',
    methods: app?.methods ?? [],
  };
}

/** A value that is not a number is sent as it is: the service reports the problem. */
export function filterOf({ receives, filter }: Pick<AppDraft, 'receives' | 'filter'>): AppFilter {
  if (receives === 'all') return {};
  const texts = textFields.map((field) => [field, filter[field]] as const);
  const ids = idFields.map((field) => [field, filter[field].map(idOf)] as const);
  const lists = [...texts, ...ids].filter(([, values]) => values.length > 0);
  return {
    ...Object.fromEntries(lists),
    ...(filter.regex === '' ? {} : { regex: filter.regex }),
  } as AppFilter;
}

const idOf = (text: string): number | string => (/^-?\d{1,16}$/.test(text) ? Number(text) : text);

export const hasConditions = (filter: AppFilter): boolean =>
  Object.values(filter).some((value) => value.length > 0);

/** Omits fields that the form does not show for this mode, so that they keep their values. */
export function settingsOf(draft: AppDraft): Omit<NewApp, 'bot_id' | 'name'> {
  const {
    backend_url,
    exclusive,
    format,
    keep_pending,
    methods,
    mode,
    own_replies,
    per_topic,
    pacing,
    patience,
    priority,
    secret_token,
    urgent,
  } = draft;
  const sends = { mode, methods, pacing, patience, format };
  if (mode === 'send') return sends;
  const claims = { filter: filterOf(draft), exclusive, priority, own_replies };
  const received = { ...sends, ...claims, keep_pending };
  if (mode === 'poll') return received;
  return { ...received, backend_url: backend_url.trim(), secret_token, urgent, per_topic };
}

/** Returns a request that restores an app as it was. */
export function changeTo(app: App): AppChange {
  return { id: app.id, ...settingsOf(draftOf(app)) };
}

/** True for a field of a request that the service rejected, and for its parts, such as chat_ids[0]. */
export const isWithin = (field = '', whole: string): boolean =>
  field.startsWith(whole) && ['', '.', '['].includes(field.charAt(whole.length));

const longestName = 64;

/** Returns a valid name for an app: other characters become a hyphen. Empty if nothing is left. */
export const validName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, longestName);
