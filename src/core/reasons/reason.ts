/*
 * Every message of the service is a code with params; the English sentence is made where it is
 * shown. Clients, the command line and the web UI read the code, never the sentence.
 */
import { accessReasons } from './access.ts';
import { alertReasons } from './alerts.ts';
import { appReasons } from './apps.ts';
import { backupReasons } from './backups.ts';
import { botReasons } from './bots.ts';
import { configFileReasons } from './config-file.ts';
import { deliveryReasons } from './delivery.ts';
import { deskReasons } from './desks.ts';
import { fieldReasons } from './fields.ts';
import { importReasons } from './import.ts';
import { messageReasons } from './messages.ts';
import { questionReasons } from './questions.ts';
import { requestReasons } from './requests.ts';
import { routingReasons } from './routing.ts';
import { settingReasons } from './settings.ts';
import type { AnyReason, Say } from './shape.ts';
import { startupReasons } from './startup.ts';
import { timelineReasons } from './timeline.ts';

const sentences = {
  ...requestReasons,
  ...fieldReasons,
  ...accessReasons,
  ...botReasons,
  ...appReasons,
  ...alertReasons,
  ...configFileReasons,
  ...messageReasons,
  ...deliveryReasons,
  ...questionReasons,
  ...routingReasons,
  ...deskReasons,
  ...timelineReasons,
  ...importReasons,
  ...backupReasons,
};
const catalogue = { ...sentences, ...settingReasons, ...startupReasons };

type Catalogue = typeof catalogue;
export type ReasonCode = keyof Catalogue;
/** Codes that the API can return. */
export type ApiReasonCode = keyof typeof sentences;
export type ParamsOf<C extends ReasonCode> = Catalogue[C] extends (
  params: infer P,
  ...rest: never[]
) => string
  ? P
  : object;

export type Reason = { [C in ReasonCode]: { code: C; params: ParamsOf<C> } }[ReasonCode];

/**
 * The backend is not there. Timeouts and closed connections are not listed, because they may be
 * caused by a single update.
 */
export const unreachedCodes: ReadonlySet<string> = new Set<ReasonCode>([
  'connection_refused',
  'name_unresolved',
  'name_lookup_failed',
  'no_route_to_host',
  'connection_timed_out_10',
]);

/** The backend answered, and did not accept the update. */
export const answeredCodes: ReadonlySet<string> = new Set<ReasonCode>([
  'backend_answered',
  'backend_redirected',
]);

type WithoutParams = { [C in ReasonCode]: Catalogue[C] extends string ? C : never }[ReasonCode];

export function reason<C extends ReasonCode>(
  code: C,
  ...[params]: C extends WithoutParams ? [] : [params: ParamsOf<C>]
): Reason {
  return { code, params: params ?? {} } as Reason;
}

const isReasonCode = (code: string): code is ReasonCode => Object.hasOwn(catalogue, code);

/**
 * Reads a reason that another version sent or stored. If that version knows other codes or params,
 * its sentence is used.
 */
export function reasonFrom(stored: {
  code?: string | undefined;
  params?: unknown;
  text: string;
}): Reason {
  const { code, params = {} } = stored;
  const told = { code, params } as Reason;
  return code !== undefined && isKnown(told) && hasItsParams(told) ? told : verbatim(stored.text);
}

/** Also checks all reasons inside it, because a newer version may know others. */
function isKnown(told: unknown): boolean {
  if (typeof told !== 'object' || told === null) return true;
  const { code, params } = told as Partial<AnyReason>;
  const isReason = typeof code === 'string' && typeof params === 'object';
  return (!isReason || isReasonCode(code)) && Object.values(told).every(isKnown);
}

function hasItsParams(told: AnyReason): boolean {
  const say: Say = ({ code, params }) =>
    sentenceOf(code, new Proxy(params, { get: ownValue }), say);
  try {
    say(told);
    return true;
  } catch {
    return false;
  }
}

function ownValue(params: object, name: string | symbol): unknown {
  if (!Object.hasOwn(params, name)) throw new TypeError(`no param ${String(name)}`);
  return Reflect.get(params, name);
}

/** Wraps text of somebody else, which is shown as it is. */
export const verbatim = (text: string): Reason => reason('verbatim', { text });

export const reasonText: Say = ({ code, params }) => sentenceOf(code, params, reasonText);

function sentenceOf(code: string, params: object, say: Say): string {
  if (!isReasonCode(code)) return code;
  const sentence = catalogue[code] as string | ((params: object, say: Say) => string);
  return typeof sentence === 'string' ? sentence : sentence(params, say);
}
