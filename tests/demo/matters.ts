// What belongs together, with the state that it is told from, for a test without a browser.
export { dueFrom, today } from '../../www/shared/due';
export { mattersOf, saidOf } from '../../www/shared/matters';
export * as state from '../../www/shared/state';
