import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import css from './palette.module.css';
import { navItemName, navItemsFor } from './nav-items.ts';
import shell from './shell.module.css';
import { useSession } from '../../shared/use-session.ts';

export function ShortcutsHelp(props: { onClose: () => void }) {
  const t = useT();
  const session = useSession();
  const rows: [string[], string][] = [
    [['Ctrl', 'K'], t.shortcuts.palette],
    [['?'], t.shortcuts.help],
    [['/'], t.shortcuts.search],
    [['Shift', 'D'], t.shortcuts.theme],
    [['Esc'], t.shortcuts.escape],
    ...navItemsFor(session).map((item): [string[], string] => [
      ['g', item.letter],
      t.shortcuts.goTo(navItemName(item, t)),
    ]),
  ];
  return (
    <Dialog onClose={props.onClose} title={t.shortcuts.title}>
      <dl className={css.shortcuts}>
        {rows.map(([keys, words]) => (
          <div key={words} className={css.shortcut}>
            <dt>{words}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key} className={shell.key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
