import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import css from './palette.module.css';
import { useNavItems } from './nav-items.ts';
import shell from './shell.module.css';

export function ShortcutsHelp(props: { onClose: () => void }) {
  const t = useT();
  const rows: [string[], string][] = [
    [['Ctrl', 'K'], t.shortcuts.palette],
    [['?'], t.shortcuts.help],
    [['/'], t.shortcuts.search],
    [['Shift', 'D'], t.shortcuts.theme],
    [['Esc'], t.shortcuts.escape],
    [['J', 'K'], t.inbox.nextChat],
    [['Enter'], t.shortcuts.open],
    [['R'], t.shortcuts.answer],
    [['A'], t.shortcuts.take],
    [['E'], t.shortcuts.done],
    [['S'], t.inbox.acts.snooze],
    ...useNavItems().map((item): [string[], string] => [
      ['g', item.letter],
      t.shortcuts.goTo(item.title(t)),
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
