// Starts the page.
import { render } from 'preact';
import '@preact/signals';
import { App } from './app';
import { begin as reachMails } from './mails';
import { begin as beginMeaning } from './meaning';
import { begin, startHourlyRest } from './run';
import { initNeverList } from '../../shared/forbidden';
import { save, saved } from '../../shared/settings';
import { beginVisit } from '../../shared/visit';
import { tidy } from '../../shared/unpacked';
import '../../shared/styles/index.css';

render(<App />, document.getElementById('app') as HTMLElement);
reachMails();
initNeverList(saved.never ?? { people: [], topics: [] }, (never) => save({ never }));
beginVisit();
void begin().then(beginMeaning);
startHourlyRest();
// There may be nothing to delete, or no such files.
void tidy().catch(() => undefined);
