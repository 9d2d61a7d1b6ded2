import { describe, expect, it } from 'vitest';
import { localCaller } from '../../../src/core/access/access.ts';
import { chatActions, type ChatMember, checkRight } from '../../../src/core/people/chat-rights.ts';
import { alertKinds } from '../../../src/core/alerts/alerts.ts';
import { type Reason, reason, reasonText } from '../../../src/core/reasons/reason.ts';
import { refusalIn } from '../../../src/core/reasons/platform.ts';
import { unpackReason } from '../../../src/core/reasons/stored.ts';
import { conditionProblem } from '../../../src/core/routing/conditions.ts';
import { findProblems } from '../../../src/core/routing/route-graph.ts';
import { statusOf } from '../../../src/http/error-handler.ts';
import { check } from '../../../src/http/request/validation.ts';
import {
  connectionWords,
  statusWords,
  timeoutWords,
} from '../../../src/relay/delivery/failure-words.ts';
import { outage, type OutageKind } from '../../../src/store/outage.ts';
import { ApiError } from '../../../web/src/api/client/error.ts';
import * as en from '../../../web/src/i18n/en/index.ts';
import { reasonWords } from '../../../web/src/i18n/reasons.ts';
import { completed } from '../../../web/src/i18n/locales.ts';
import * as translated from '../../../web/src/i18n/ru/index.ts';
import { errorDetail, errorWords, fieldProblem } from '../../../web/src/shared/error-words.ts';

/** Texts that wait for translation are English. */
const ru = completed<typeof en>(en, translated);

const cyrillic = /[а-яё]/i;

const russian = (why: Reason | null | undefined) => reasonWords('', why, ru.reasons);

function member(status: string, options: Partial<ChatMember> = {}): ChatMember {
  const person = { userId: 7, username: '', firstName: 'Boris', lastName: '', isBot: false };
  return {
    person: { ...person, languageCode: '' },
    status,
    until: 0,
    title: '',
    canBeEdited: false,
    rights: [],
    ...options,
  } as ChatMember;
}

describe('what the service says, on the page', () => {
  it('has Russian words for every code', () => {
    for (const code of Object.keys(statusOf)) {
      const error = new ApiError(400, { error: 'Something in English.', code });
      expect(errorWords(error, ru), code).toMatch(cyrillic);
      expect(errorWords(error, en), code).not.toBe('');
    }
  });

  it('keeps the sentence of the service as a detail where it tells more', () => {
    const taken = new ApiError(409, {
      error: 'There is already a user anna.',
      code: 'conflict',
      reason_code: 'user_exists',
      params: { username: 'anna' },
    });
    expect(errorWords(taken, en)).toBe('There is already a user anna.');
    expect(errorDetail(taken, en)).toBe('');
    expect(errorDetail(taken, ru)).toBe('Имя anna уже занято. Выберите другое.');
    const unheard = new ApiError(409, { error: 'Never heard of this.', code: 'conflict' });
    expect(errorDetail(unheard, ru)).toBe('Never heard of this.');
  });

  it('says why the database cannot be used', () => {
    for (const kind of ['unreachable', 'full', 'disk', 'tooLong', 'crowded'] as OutageKind[]) {
      const { message: sentence, reason: why } = outage(kind, undefined);
      const error = new ApiError(503, {
        error: sentence,
        code: 'database_unavailable',
        reason_code: why.code,
        params: why.params,
      });
      expect(errorDetail(error, en)).toBe(sentence);
      expect(errorDetail(error, ru), sentence).toMatch(cyrillic);
    }
  });

  it('puts the frequent refusals of Telegram into words that help', () => {
    const description = 'Forbidden: bot was blocked by the user';
    const refusal = new ApiError(422, {
      error: `The platform refused: ${description}`,
      code: 'platform_refused',
      reason_code: 'platform_refused',
      params: { description, refusal: refusalIn(description) },
      platform: { error_code: 403, description },
    });
    expect(errorWords(refusal, ru)).toBe(ru.refusals.blocked);
    expect(errorDetail(refusal, ru)).toBe(description);
    const rare = new ApiError(422, {
      error: 'The platform refused: ODD',
      code: 'platform_refused',
      platform: { error_code: 400, description: 'ODD' },
    });
    expect(errorWords(rare, ru)).toBe('Telegram отклонил запрос. ODD');
    expect(errorDetail(rare, ru)).toBe('');
  });

  it('says what is wrong with a field', () => {
    const schemas: [object, unknown][] = [
      [{ type: 'string', minLength: 1 }, ''],
      [{ type: 'string', minLength: 8 }, 'x'],
      [{ type: 'string', maxLength: 1 }, 'xx'],
      [{ type: 'integer' }, 'x'],
      [{ type: 'integer', minimum: 3 }, 1],
      [{ type: 'integer', maximum: 3 }, 9],
      [{ enum: ['a', 'b'] }, 'c'],
      [{ type: 'array', minItems: 1 }, []],
      [{ type: 'object', required: ['name'], properties: {} }, {}],
    ];
    for (const [schema, value] of schemas) {
      const [found] = check(schema as never, value, 'name');
      const problem = found ? reasonText(found.problem) : '';
      const error = new ApiError(400, {
        error: `name ${problem}`,
        code: 'invalid_request',
        details: [
          {
            field: 'name',
            problem,
            reason_code: found?.problem.code ?? '',
            params: found?.problem.params ?? {},
          },
        ],
      });
      expect(fieldProblem(error, 'name', ru), problem).toMatch(cyrillic);
      expect(fieldProblem(error, 'name', en)).toBe(problem);
    }
    for (const [type, value] of [
      ['keyword', ''],
      ['regex', '('],
      ['command', '?'],
      ['chat_id', 'x'],
    ]) {
      const found = conditionProblem(type as 'keyword', value ?? '');
      expect(russian(found), found?.code).toMatch(cyrillic);
    }
  });

  it('says why a bot may not act', () => {
    const targets = [
      undefined,
      member('creator'),
      member('administrator'),
      member('member'),
      member('member', { person: { userId: 1 } as ChatMember['person'] }),
    ];
    const self = (rights: ChatMember['rights']) =>
      member('administrator', { rights, person: { userId: 1 } as ChatMember['person'] });
    const reasons = new Map<string, Reason>();
    for (const type of ['private', 'group', 'supergroup']) {
      for (const action of chatActions) {
        for (const target of targets) {
          for (const own of [self([]), self(['can_restrict_members', 'can_promote_members'])]) {
            const { reason: text, reason_detail } = checkRight(action, type, own, target);
            if (reason_detail) reasons.set(text, reason_detail);
          }
        }
      }
    }
    expect(reasons.size).toBeGreaterThan(6);
    for (const [text, why] of reasons) expect(russian(why), text).toMatch(cyrillic);
  });

  it('says why a message was routed, or a backend not reached', () => {
    const route = {
      id: 1,
      enabled: true,
      source_bot_id: 1,
      source_chat_id: 0,
      target_bot_id: 2,
      action: 'drop',
      condition_type: 'all',
      condition_value: '',
    };
    const routes = [
      route,
      { ...route, id: 2, action: 'copy' },
      { ...route, id: 3, source_bot_id: 3 },
      { ...route, id: 4, source_bot_id: 4, condition_type: 'llm' },
      { ...route, id: 5, source_bot_id: 5, condition_type: 'llm' },
      { ...route, id: 6, source_bot_id: 5 },
      { ...route, id: 7, source_bot_id: 6, condition_type: 'chat_id', source_chat_id: 7 },
    ];
    const problems = findProblems(routes, {
      disabled: new Set([3]),
      withoutModel: new Set([4]),
    });
    expect(problems.length).toBe(5);
    const matched = reason('matched_routes', {
      routes: [
        { route_id: 4, reason: reason('words_found', { words: 'refund' }) },
        { route_id: 5, reason: reason('every_message') },
      ],
    });
    const sentences = [
      ...problems.map((problem) => problem.explanation_detail),
      matched,
      reason('behind_a_drop', { reason: reason('command', { command: 'help' }) }),
      reason('no_rule_matched'),
      ...['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'CERT_HAS_EXPIRED', 'ODD'].map(
        (code) => unpackReason(connectionWords({ code }, 'shop.example:80')).detail,
      ),
      ...[statusWords(302), statusWords(500), timeoutWords(60_000)].map(
        (stored) => unpackReason(stored).detail,
      ),
    ];
    for (const why of sentences) expect(russian(why), why?.code).toMatch(cyrillic);
    expect(russian(matched)).toBe(
      'маршрут #4: в тексте есть «refund»; маршрут #5: любое сообщение',
    );
  });

  it('says who did it where that is nobody with a name', () => {
    const actors: Record<string, string> = ru.access.actors;
    for (const actor of [localCaller.name, 'first start', 'Bot API gateway']) {
      expect(actors[actor], actor).toMatch(cyrillic);
    }
  });

  it('writes large numbers of an alert as everywhere else', () => {
    const down = { host: 'shop.example:80', count: 2016 };
    expect(alertKinds.backend_down.present(down)).toBe(
      'Backend shop.example:80 is down. 2,016 updates waiting.',
    );
  });
});
