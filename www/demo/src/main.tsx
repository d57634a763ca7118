// Starts the page.
import { render } from 'preact';
import '@preact/signals';
import { restByTheHour, start } from './actions';
import { App } from './app';
import { answerWith } from './engine/client';
import { answer } from './model';
import './styles/index.css';

render(<App />, document.getElementById('app') as HTMLElement);
answerWith(answer);
void start();
restByTheHour();
