import { Anchor, Loader, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { validateToken } from '../../../api/bots.ts';
import { ApiError } from '../../../api/client/error.ts';
import type { TokenCheck } from '../../../api/client/types.ts';
import type { Messages } from '../../../i18n/messages.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { errorWords, fieldProblem } from '../../../shared/error-words.ts';
import { Icon } from '../../../ui/icon.tsx';

const shape = /^\d+:[A-Za-z0-9_-]{6,}$/;

/** The owner of the token, looked up as soon as it looks like a token. */
export function useTokenCheck(token: string) {
  const trimmed = token.trim();
  return useQuery<TokenCheck>({
    queryKey: ['token', trimmed],
    queryFn: ({ signal }) => validateToken(trimmed, signal),
    enabled: shape.test(trimmed),
    retry: false,
    gcTime: 0,
  });
}

export function TokenField(props: {
  value: string;
  onChange: (token: string) => void;
  /** The error if the service rejected this token. */
  refused?: unknown;
}) {
  const t = useT();
  const tokenCheck = useTokenCheck(props.value);
  const looksWrong = props.value !== '' && !shape.test(props.value.trim());
  const { data } = tokenCheck;
  const error = looksWrong
    ? t.bots.tokenShape
    : data && !data.valid
      ? data.error
      : tokenCheck.error
        ? errorWords(tokenCheck.error, t)
        : refusedWords(props.refused, t);
  const fits = data?.valid && !error;
  return (
    <div style={{ width: '100%' }}>
      <TextInput
        label={t.bots.tokenLabel}
        description={t.bots.tokenHint}
        placeholder="123456:ABC-DEF…"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={props.value}
        error={error}
        rightSection={
          tokenCheck.isFetching ? (
            <Loader size={16} />
          ) : fits ? (
            <Icon name="check" style={{ color: 'var(--ok)' }} />
          ) : null
        }
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
      <div aria-live="polite" style={{ minHeight: 22, fontSize: '0.86rem', marginTop: 4 }}>
        {tokenCheck.isFetching ? t.bots.tokenChecking : null}
        {fits ? (
          <span style={{ color: 'var(--ok)' }}>
            {t.bots.tokenFits(data.username ? `${data.name} (@${data.username})` : data.name)}
          </span>
        ) : null}
      </div>
    </div>
  );
}

/** Adds a link to the bot that has this token, or another one of the same bot. */
function refusedWords(error: unknown, t: Messages) {
  if (!(error instanceof ApiError)) return null;
  const { code } = error;
  if (code !== 'token_taken' && code !== 'bot_exists') return fieldProblem(error, 'token', t);
  const id = error.details.find((one) => one.field === 'token')?.['id'];
  return (
    <>
      {t.errors[code]}{' '}
      {typeof id === 'number' ? (
        <Anchor
          inherit
          renderRoot={(root) => <Link {...root} to="/bots/$botId" params={{ botId: String(id) }} />}
        >
          {t.bots.openTaken}
        </Anchor>
      ) : null}
    </>
  );
}
