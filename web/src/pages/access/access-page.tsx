import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '../../i18n/use-t.tsx';
import { Page } from '../../ui/page.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { UsersPanel } from './users-panel.tsx';

export function AccessPage() {
  const { access } = useT();
  // Stored in the URL, so that the command palette can open the dialogs.
  const { add } = useSearch({ from: '/frame/access' });
  const navigate = useNavigate();
  const open = (what: 'key' | 'user') => (opened: boolean) =>
    void navigate({ to: '/access', search: opened ? { add: what } : {}, replace: true });
  return (
    <Page title={access.title} lead={access.lead}>
      <div className="stack">
        <KeysPanel isAdding={add === 'key'} onAdding={open('key')} />
        <UsersPanel isAdding={add === 'user'} onAdding={open('user')} />
      </div>
    </Page>
  );
}
