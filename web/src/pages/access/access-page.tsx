import { useT } from '../../i18n/use-t.tsx';
import { Page } from '../../ui/page.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { UsersPanel } from './users-panel.tsx';

export function AccessPage() {
  const { access } = useT();
  return (
    <Page title={access.title} lead={access.lead}>
      <div className="stack">
        <KeysPanel />
        <UsersPanel />
      </div>
    </Page>
  );
}
