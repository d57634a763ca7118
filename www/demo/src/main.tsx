// Starts the page.
import { render } from 'preact';
import '@preact/signals';
import { App } from './app';
import { begin as reachMails } from './mails';
import { begin as beginMeaning } from './meaning';
import { begin, restByTheHour } from './run';
import { keptBy } from '../../shared/forbidden';
import { save, saved } from '../../shared/settings';
import { beginVisit } from '../../shared/visit';
import { tidy } from '../../shared/unpacked';
import '../../shared/styles/index.css';

render(<App />, document.getElementById('app') as HTMLElement);
reachMails();
keptBy(saved.never ?? { people: [], topics: [] }, (never) => save({ never }));
beginVisit();
void begin().then(beginMeaning);
restByTheHour();
// Where there is nothing to tidy, or no such files, that is well.
void tidy().catch(() => undefined);
