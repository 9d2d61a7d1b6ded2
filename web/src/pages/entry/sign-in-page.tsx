import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { signIn } from '../../api/session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { AccountForm } from './account-form.tsx';
import { EntryCard } from './entry-card.tsx';
import { Commands } from '../../ui/text/commands.tsx';
import css from './entry.module.css';

export function SignInPage() {
  const { entry } = useT();
  const navigate = useNavigate();
  const router = useRouter();
  const { next } = useSearch({ from: '/sign-in' });
  function enter(): void {
    if (isLocal(next)) router.history.push(next);
    else void navigate({ to: '/' });
  }
  return (
    <EntryCard title={entry.signInTitle} lead={entry.signInLead}>
      <AccountForm submit={entry.signIn} run={signIn} onEntered={enter} />
      <p className={css.foot}>
        <strong>{entry.firstTime}</strong> {entry.firstTimeHint} <Commands text={entry.lostLink} />
      </p>
    </EntryCard>
  );
}

/** Accepts only paths of this site. */
function isLocal(next: string | undefined): next is string {
  return next !== undefined && /^\/(?![/\\])/.test(next);
}
